"""LayerNorms to ask, and tokens to ask them with."""

import math

import torch

from .reference import LayerNorm


def draw_sizes():
    """batch, seq and d_model, each another number."""
    batch, seq = (2 + torch.randperm(4)[:2]).tolist()
    return batch, seq, int(torch.randint(7, 12, ()))


def tokens(*shape):
    """Tokens of different means and deviations."""
    scale, shift = 1 + torch.rand(*shape[:-1], 1), torch.randn(*shape[:-1], 1)
    return scale * torch.randn(shape) + 2 * shift


def build(candidate, d_model, *eps):
    """A layer with a gamma of ones and a beta of zeros, wherever it begins."""
    layer = candidate.build("LayerNorm", d_model, *eps).expect(lambda x: x.shape)
    layer.load_state_dict(LayerNorm(d_model).state_dict(), strict=False)
    return layer.eval()


def give_gamma_and_beta(layer, d_model):
    """Load others by role, and return them: single numbers, where the layer learns such."""
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
    """The layer's answer. More than one number of it has to move when one of each input does: of what
    returns an input, or the same for all, nobody can ask how it normalises.
    """
    touched = [one.clone() for one in inputs]
    for number, one in enumerate(touched):
        one.view(-1)[-number] += 5 * one.abs().max()
    answer, other = layer.each(inputs, touched)
    assert int(((answer - other).abs() > 0.01).sum()) > 1, (
        "Each number of your answer follows from one number of the input, or from none. Where do the "
        "other features of the token come in?"
    )
    return answer
