"""LayerNorms to ask, tokens to ask them with, and what is looked at in their answers."""

import math

import torch

from . import LIBRARY_PARTS
from .reference import LayerNorm

READY_MADE = {path.rpartition(".")[2] for path in LIBRARY_PARTS["layer_norm"]}
UNCUT = (
    "`detach`, `.data`, `.item()` and `no_grad` take a number out of the graph. Which does yours?"
)


def draw_sizes():
    """batch, seq and d_model, each another number: (3, 5, 9)."""
    batch, seq = (3 + torch.randperm(4)[:2]).tolist()  # of two tokens a norm leaves the signs alone
    return batch, seq, int(torch.randint(7, 12, ()))


def tokens(*shape):
    """Tokens (..., d_model) of different means and deviations: `tokens(3, 5, 9)`."""
    scale, shift = 1 + torch.rand(*shape[:-1], 1), torch.randn(*shape[:-1], 1)
    return scale * torch.randn(shape) + 2 * shift


def with_other_axes(x):
    """Tokens of x, (batch, seq, d_model), with four, two and one axes, each beside the same tokens with
    three: `for other, three in with_other_axes(x): ...`
    """
    four = torch.stack([x, tokens(*x.shape)], dim=2)
    return (four, four.flatten(1, 2)), (x[:, 0], x[:, :1]), (x[0, 0], x[:1, :1])


def build(candidate, d_model, *eps):
    """A layer with a gamma of ones and a beta of zeros, wherever it begins."""
    layer = candidate.build("LayerNorm", d_model, *eps).expect(lambda x: x.shape)
    x = torch.arange(3.0 * d_model).square().cos().view(1, 3, -1)
    layer.load_like(_uneven(d_model, *eps), x, strict=False)
    layer.load_state_dict(LayerNorm(d_model).state_dict(), strict=False)
    return layer


def _uneven(d_model, *eps):
    """A LayerNorm with another gamma and beta for each feature."""
    reference = LayerNorm(d_model, *eps)
    state = {"gamma": torch.linspace(1, 2, d_model), "beta": torch.linspace(-1, 1, d_model)}
    reference.load_state_dict(state)
    return reference


def give_gamma_and_beta(layer, d_model):
    """Load others by role, and return them, (d_model) each: single numbers, where the layer learns such."""
    learned = [parameter for parameter in layer.parameters() if parameter.requires_grad]
    sizes = [math.prod(parameter.shape) for parameter in learned]
    if len(sizes) == 2 and 1 in sizes:
        gamma, beta = both = [0.5 + torch.rand(size) for size in sizes]
        named = zip(learned, both, strict=True)
        layer.load_parameters({one.name: value.reshape(one.shape) for one, value in named})
        return gamma, beta
    other = LayerNorm(d_model)
    state = {name: 0.5 + torch.rand(d_model) for name in other.state_dict()}
    layer.load_state_dict(state, strict=False)
    return state["gamma"], state["beta"]


def normalised(layer, *inputs):
    """The layer's answer. When one number of each input is touched, more numbers of it have to move, and
    each in its own way: of what returns an input, or the same for all, or an average, nobody can ask how
    it normalises.
    """
    touched = [one.clone() for one in inputs]
    for number, one in enumerate(touched):
        one.view(-1)[-number] += 5 * one.abs().max()
    answer, other = layer.each(inputs, touched)
    moves = (100 * (answer - other)).round().unique()  # zero is the move of other tokens
    assert int(moves.count_nonzero()) > len(inputs), (
        "Each number of your answer follows from one number of the input, or from none, or all from an "
        "average. Where do the other features of the token come in?"
    )
    return answer


def with_a_large_mean(layer):
    """What a layer of eight features makes of tokens, and of the same with as large a mean as its own
    precision bears: (4, 5, 8) each.
    """
    x = tokens(4, 5, 8)
    fine, coarse = normalised(layer, x), layer(x.float().to(x.dtype))
    in_float32 = x.dtype == torch.float32 or torch.equal(fine, coarse)  # inside, at least
    offset = 2.0**14 if in_float32 else 2.0**28
    eighths = torch.randint(-70, 70, x.shape).to(x.dtype) / 8  # sums are exact, squares are not
    return layer.each((eighths,), (eighths + offset,))


def learned_shapes(layer, d_model):
    """The shape of each parameter that is learned, without axes of one: [(9,), (9,)]. One that holds two
    vectors counts as these.
    """
    shapes = {p.identity: p.shape for p in layer.parameters() if p.requires_grad}
    sizes = [tuple(size for size in shape if size > 1) for shape in shapes.values()]
    both = (2, d_model), (d_model, 2), (2 * d_model,)
    return [one for shape in sizes for one in ([(d_model,)] * 2 if shape in both else [shape])]


def arrives(gradient):
    """Whether a gradient came back, and is not zero everywhere."""
    return gradient is not None and bool(gradient.any())
