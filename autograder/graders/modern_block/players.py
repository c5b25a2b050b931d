"""Blocks that are played for a student's experiment: (batch, seq, d_model) -> the same.

The sub-layer of each is drawn anew. It returns a twentieth to a tenth of what it gets, and no constant; of
one token alone, of one feature, or of what the others are, too. The norm is a LayerNorm without gain.
"""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional as F

from .reference import KINDS

SubLayer = Callable[[Tensor], Tensor]
PRE, POST, NORMED, NONE = KINDS
D_MODEL = 6
MOST = 100_000  # numbers that a block is asked with


def norm(x: Tensor) -> Tensor:
    """LayerNorm of each token."""
    return F.layer_norm(x, x.shape[-1:])


def block(kind: str, sub_layer: SubLayer) -> SubLayer:
    """One of the four kinds."""
    computed = {
        PRE: lambda x: x + sub_layer(norm(x)),
        POST: lambda x: norm(x + sub_layer(x)),
        NORMED: lambda x: norm(x) + sub_layer(norm(x)),
        NONE: lambda x: sub_layer(norm(x)),
    }[kind]

    def bounded(x: Tensor) -> Tensor:
        if x.dim() != 3 or x.numel() > MOST:
            raise ValueError("a block is asked with (batch, seq, d_model)")
        return computed(x)

    return bounded


def _share() -> float:
    return float(0.06 + 0.03 * torch.rand(()))


def mixing() -> SubLayer:
    """Turns and mirrors a token's features."""
    turned = _share() * torch.linalg.qr(torch.randn(D_MODEL, D_MODEL)).Q
    return lambda x: x @ turned.to(x)


def bent() -> SubLayer:
    """Negative features count less."""
    share = _share()
    return lambda x: share * F.leaky_relu(x, 0.3)


def scaled() -> SubLayer:
    """A part of the token itself, or the opposite."""
    share = _share() * (-1) ** int(torch.randint(2, ()))
    return lambda x: share * x


def shifting() -> SubLayer:
    """One feature, added to all: the mean moves, and the variance does not."""
    share, feature = _share(), int(torch.randint(D_MODEL, ()))
    return lambda x: 0.5 * share * x[..., feature : feature + 1].expand_as(x)


def attending() -> SubLayer:
    """Of the tokens of a sentence, those beside one."""
    share = _share()
    return lambda x: share * x.roll(1, 1)


def of_the_last_token() -> SubLayer:
    """Hears nothing of the other tokens, and tells them nothing."""
    share = _share()
    return lambda x: share * torch.cat([0 * x[:, :-1], x[:, -1:].flip(-1)], 1)


SUB_LAYERS = (mixing, bent, scaled, shifting, attending)
