"""RMSNorms to ask, tokens to ask them with, and what is looked at in their answers."""

import torch

from . import LIBRARY_PARTS
from .reference import RMSNorm

READY_MADE = {path.rpartition(".")[2] for path in LIBRARY_PARTS["rms_norm"]}


def draw_sizes():
    """batch, seq and d_model, each another number: (3, 5, 9)."""
    batch, seq = (3 + torch.randperm(4)[:2]).tolist()
    return batch, seq, int(torch.randint(7, 12, ()))


def tokens(*shape):
    """Tokens (..., d_model) of different sizes, each with a mean unlike zero: `tokens(3, 5, 9)`."""
    scale = 0.5 + 3 * torch.rand(*shape[:-1], 1)
    return scale * (torch.randn(shape) + 2 * torch.randn(*shape[:-1], 1).sign())


def with_other_axes(x):
    """Tokens of x, (batch, seq, d_model), with four, two and one axes, each beside the same with three."""
    four = torch.stack([x, tokens(*x.shape)], dim=2)
    return (four, four.flatten(1, 2)), (x[:, 0], x[:, :1]), (x[0, 0], x[:1, :1])


def divided(x):
    """Each token over its root mean square: (..., d_model) -> the same."""
    return x / x.square().mean(-1, keepdim=True).sqrt()


def build(candidate, d_model, *eps):
    """A layer with a gain of ones, wherever it begins."""
    layer = candidate.build("RMSNorm", d_model, *eps).expect(lambda x: x.shape)
    layer.load_state_dict(RMSNorm(d_model).state_dict(), strict=False)
    return layer.eval()


def normalised(layer, x):
    """The layer's answer. When one number of x is touched, several of it have to move, each in its own
    way: of what returns x, or the same for all, or an average, nobody can ask how it normalises.
    """
    touched = x.clone()
    touched.view(-1)[0] += 5 * x.abs().max()
    answer, other = layer.each((x,), (touched,))
    moves = (100 * (answer - other)).round().unique()  # zero is the move of other tokens
    assert int(moves.count_nonzero()) > 1, (
        "Each number of your answer follows from one number of x, or from none, or all from an "
        "average. Where do the other features of the token come in?"
    )
    return answer


def arrives(gradient):
    """Whether a gradient came back, and is not zero everywhere."""
    return gradient is not None and bool(gradient.any())
