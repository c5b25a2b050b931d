"""The norms that are played for a student's test: (batch, seq, d_model) -> the same.

A token on which an output does not depend is not even multiplied by zero: who writes NaN into it finds
it in no other output.

    only_others = depending(lambda one, other: one.sentence != other.sentence)
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from .reference import EPS

BATCH, SEQ, D_MODEL = 3, 4, 5  # each another number; of two tokens a norm leaves the signs alone
SMALL, ROUNDING = 1.5e-3, 1e-6
MOST_TOKENS = 200  # each is asked whether it depends on each other one


class Token(NamedTuple):
    """Where a token stands."""

    sentence: int
    position: int


Norm = Callable[[Tensor], Tensor]
DependsOn = Callable[[Token, Token], bool]  # of a token, on another one


def over(*axes: int) -> Norm:
    """Mean 0 and variance 1 over these axes: -1 layer norm, (0, 1) batch norm, 1 instance norm."""

    def norm(x: Tensor) -> Tensor:
        centred = _of_sentences(x) - x.mean(dim=axes, keepdim=True)
        return centred / torch.sqrt(centred.square().mean(dim=axes, keepdim=True) + EPS)

    return norm


def rms_norm(x: Tensor) -> Tensor:
    """Divided by the root of the mean square of the token's own features."""
    return _of_sentences(x) / torch.sqrt(x.square().mean(dim=-1, keepdim=True) + EPS)


def constant(x: Tensor) -> Tensor:
    """The same for every token."""
    return 0 * _of_sentences(x)


def draw_norm_of_tokens(d_model: int = D_MODEL) -> Norm:
    """A norm of single tokens that is on no list: a normalised token and the token itself, mixed, and
    bent at zero. Zeros stay zeros.
    """
    mix = torch.randn(d_model, d_model) / d_model**0.5
    share, slope = (0.3 + torch.rand(2) / 2).tolist()

    def norm(x: Tensor) -> Tensor:
        normalised = F.layer_norm(_of_sentences(x), x.shape[-1:], eps=EPS)
        return F.leaky_relu((normalised + share * x) @ mix.to(x), slope)

    return norm


def behind(first: Norm) -> Norm:
    """A norm of single tokens, drawn anew, of what another norm returned."""
    own = draw_norm_of_tokens()
    return lambda x: own(first(x))


def rounded(norm: Norm) -> Norm:
    """The norm, with a little noise in each number of each call; zeros stay zeros."""
    chance = torch.Generator().manual_seed(int(torch.randint(2**31, ())))

    return lambda x: norm(x) + ROUNDING * (x != 0) * torch.rand(x.shape, generator=chance)


def depending(
    depends_on: DependsOn, effect: Norm = torch.Tensor.clone, own: Norm | None = None
) -> Norm:
    """A norm of single tokens, drawn anew, and beside it an effect of the mean of the other tokens on
    which each depends; where there is none, of zeros.
    """
    own = own or draw_norm_of_tokens()
    return lambda x: own(x) + effect(_mean_of_others(x, depends_on))


def small(mean: Tensor) -> Tensor:
    """An effect that is more than rounding, and less than a lax tolerance."""
    return SMALL * mean


def small_sine(mean: Tensor) -> Tensor:
    """An effect for which a small change matters as much as a large one."""
    return SMALL * torch.sin(100 * mean)


def of_features(of: list[int], into: list[int]) -> Norm:
    """The effect of some features only, whose sum is added to only some: `of_features([4], [0, 1])`."""

    def effect(mean: Tensor) -> Tensor:
        added = torch.zeros_like(mean)
        added[..., into] = mean[..., of].sum(-1, keepdim=True)
        return added

    return effect


def _mean_of_others(x: Tensor, depends_on: DependsOn) -> Tensor:
    others = _dependences(depends_on, _of_sentences(x).size(0), x.size(1)).unsqueeze(-1)
    sums = torch.where(others, x.flatten(0, 1), 0).sum(dim=1)  # (tokens, d_model)
    return (sums / others.sum(dim=1).clamp(min=1)).view_as(x)


@lru_cache(maxsize=100)
def _dependences(depends_on: DependsOn, batch: int, seq: int) -> Tensor:
    """(token, other token). A Jacobian asks each norm a hundred times."""
    tokens = [Token(sentence, position) for sentence in range(batch) for position in range(seq)]
    return torch.tensor(
        [[one != other and depends_on(one, other) for other in tokens] for one in tokens]
    )


def _of_sentences(x: Tensor) -> Tensor:
    if x.dim() != 3:
        raise ValueError("a norm is handed (batch, seq, d_model)")
    if x.size(0) * x.size(1) > MOST_TOKENS:
        raise ValueError("more tokens than any test needs")
    return x


# Whether a token depends on another one.


def everybody(one: Token, other: Token) -> bool:
    return True


def other_sentences(one: Token, other: Token) -> bool:
    return one.sentence != other.sentence


def own_sentence(one: Token, other: Token) -> bool:
    return one.sentence == other.sentence


def next_in_the_sentence(one: Token, other: Token) -> bool:
    return own_sentence(one, other) and other.position == one.position + 1


def others_on_the_first_sentence(one: Token, other: Token) -> bool:
    return other.sentence == 0 != one.sentence


def sentence(dependent: int, source: int) -> DependsOn:
    """Only one sentence depends on another one, and on no more."""
    return lambda one, other: (one.sentence, other.sentence) == (dependent, source)


def position(dependent: int, source: int) -> DependsOn:
    """In each sentence only one token depends on another one, and on no more."""
    pair = dependent, source
    return lambda one, other: own_sentence(one, other) and (one.position, other.position) == pair
