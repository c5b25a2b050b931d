"""Weights that fit a block of any layout, and the sizes and masks of a question.

What has one shape gets one tensor: the four matrices of an attention, each of its heads, a gate and what it
gates, two gains; a matrix gets the transposed of one that maps the other way. So it does not matter which
of them stands for what, under which name, in which order, fused or transposed.
"""

from typing import NamedTuple

import torch
from torch import Tensor

ATTENTION, FEED_FORWARD = "attention", "feed forward"  # whose matrices


class Sizes(NamedTuple):
    """Sizes of one question, pairwise different."""

    batch: int
    seq: int
    num_heads: int
    num_layers: int
    d_k: int
    d_ff: int

    @property
    def d_model(self) -> int:
        return self.num_heads * self.d_k


def draw_sizes() -> Sizes:
    """Neither of d_k and d_ff is a multiple of the other sizes, so that an axis says what it is."""
    heads, layers = (torch.randperm(2) + 2).tolist()
    d_k, d_ff = (5, 7)[int(torch.randint(2, ()))], (11, 13, 19)[int(torch.randint(3, ()))]
    return Sizes(batch=4, seq=6, num_heads=heads, num_layers=layers, d_k=d_k, d_ff=d_ff)


def padding(batch: int, seq: int) -> Tensor:
    """A mask (batch, seq): of each sentence some tokens are kept, never all, in each others; in one a single token."""
    while True:
        mask = torch.rand(batch, seq) < 0.6
        kept = mask.sum(1)
        if len(mask.unique(dim=0)) == batch and kept.min() == 1 and kept.max() < seq:
            return mask.long()


def everything(x: Tensor) -> Tensor:
    """A mask (batch, seq) that hides nothing."""
    return torch.ones(x.shape[:2], dtype=torch.int64)


class Weights:
    """Numbers for the parameters of a block; `zero` names sub-layers whose matrices are zero."""

    def __init__(self, sizes: Sizes):
        self.sizes = sizes
        one = torch.randn(sizes.d_k, sizes.d_k)
        heads = sizes.num_heads
        self.square = 0.7 * (one + one.T).repeat(heads, heads) / (2 * sizes.d_model) ** 0.5
        self.up = 0.6 * torch.randn(sizes.d_ff, sizes.d_model) / sizes.d_model**0.5
        self.gain = 0.6 + torch.rand(sizes.d_model)

    def of(self, name: str, shape: tuple[int, ...], zero: tuple[str, ...] = ()) -> Tensor:
        """The numbers of a parameter: a matrix, several in one, a gain, or a bias, which is zero."""
        whose = [self._features(size) for size in shape]
        axes = [axis for axis, features in enumerate(whose) if features]
        if is_gain(name, shape, self.sizes):
            return self.gain[torch.arange(shape[-1]) % self.sizes.d_model].expand(shape).clone()
        if len(axes) != 2 or owner_of(whose) in zero:
            return torch.zeros(shape)
        rows, columns = (torch.arange(shape[axis]) % whose[axis] for axis in axes)
        filled = self._matrix(*(whose[axis] for axis in axes))[rows][:, columns]
        return filled.reshape([n if i in axes else 1 for i, n in enumerate(shape)]).expand(shape)

    def _features(self, size: int) -> int:
        """d_model or d_ff for an axis that has these, or some times as many, or those of a head; or 0."""
        known = {self.sizes.d_k: self.sizes.d_model, self.sizes.d_ff: self.sizes.d_ff}
        return next((features for unit, features in known.items() if size % unit == 0), 0)

    def _matrix(self, rows: int, columns: int) -> Tensor:
        if rows == columns:
            return self.square if rows == self.sizes.d_model else torch.eye(rows)
        return self.up if rows == self.sizes.d_ff else self.up.T


def owner_of(features: list[int]) -> str:
    """Which sub-layer has a matrix whose axes have these features."""
    return ATTENTION if len({n for n in features if n}) == 1 else FEED_FORWARD


def is_gain(name: str, shape: tuple[int, ...], sizes: Sizes) -> bool:
    """Whether a parameter holds the gain of a norm, or several."""
    vector = [size for size in shape if size != 1]
    called = name.rpartition(".")[2].casefold()
    several = len(vector) == 2 and vector[0] <= 2 * sizes.num_layers + 1
    is_bias = any(word in called for word in ("bias", "beta", "shift"))
    return vector[-1:] == [sizes.d_model] and (len(vector) == 1 or several) and not is_bias
