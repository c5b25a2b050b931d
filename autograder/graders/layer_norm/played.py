"""The norms that are played for a student's test: (batch, seq, d_model) -> the same.

A token on which an output does not depend is not even multiplied by zero: who writes NaN into it finds
it in no other output.
"""

from collections.abc import Callable
from functools import lru_cache

import torch
from torch import Tensor
from torch.nn import functional as F

from .reference import EPS

Norm = Callable[[Tensor], Tensor]
Token = tuple[int, int]  # sentence, position
DependsOn = Callable[[Token, Token, Token], bool]  # token, other token, (batch, seq)
SMALL, ROUNDING = 1.5e-3, 1e-6
MOST_TOKENS = 200  # each is asked whether it depends on each other one


def over(*axes: int) -> Norm:
    """Mean 0 and variance 1 over these axes: -1 layer norm, (0, 1) batch norm, 1 instance norm."""

    def norm(x: Tensor) -> Tensor:
        centred = _of_sentences(x) - x.mean(dim=axes, keepdim=True)
        return centred / torch.sqrt(centred.square().mean(dim=axes, keepdim=True) + EPS)

    return norm


def rms_norm(x: Tensor) -> Tensor:
    """Divided by the root of the mean square of the token's own features."""
    return _of_sentences(x) / torch.sqrt(x.square().mean(dim=-1, keepdim=True) + EPS)


def draw_norm_of_tokens(d_model: int) -> Norm:
    """A norm of single tokens that is on no list: a normalised token and the token itself, mixed, and
    bent at zero. Zeros stay zeros.
    """
    mix, (share, slope) = (
        torch.randn(d_model, d_model) / d_model**0.5,
        (0.3 + torch.rand(2) / 2).tolist(),
    )

    def norm(x: Tensor) -> Tensor:
        normalised = F.layer_norm(_of_sentences(x), x.shape[-1:], eps=EPS)
        return F.leaky_relu((normalised + share * x) @ mix.to(x), slope)

    return norm


def constant(x: Tensor) -> Tensor:
    """The same for every token."""
    return 0 * _of_sentences(x)


def rounded(norm: Norm) -> Norm:
    """The norm, with a little noise in each number of each call; zeros stay zeros."""
    chance = torch.Generator().manual_seed(int(torch.randint(2**31, ())))

    return lambda x: norm(x) + ROUNDING * (x != 0) * torch.rand(x.shape, generator=chance)


def depending(own: Norm, depends_on: DependsOn, strength: float = 1.0) -> Norm:
    """A norm of single tokens, and the mean of the other tokens on which a token depends is added."""
    return lambda x: own(x) + strength * _mean_of_others(x, depends_on)


def depending_on_a_sine(own: Norm, depends_on: DependsOn) -> Norm:
    """The same, but of a sine of that mean: a small change matters as much as a large one."""
    return lambda x: own(x) + SMALL * torch.sin(100 * _mean_of_others(x, depends_on))


def depending_on_features(own: Norm, depends_on: DependsOn, of: list[int], into: list[int]) -> Norm:
    """The same, but of some features only, and their sum is added to only some."""

    def norm(x: Tensor) -> Tensor:
        added = _mean_of_others(x, depends_on)[..., of].sum(-1, keepdim=True)
        where = torch.tensor([feature in into for feature in range(x.size(-1))])
        return own(x) + torch.where(where, added, 0)

    return norm


def _mean_of_others(x: Tensor, depends_on: DependsOn) -> Tensor:
    """The mean of the tokens on which each depends; where there is none, zero."""
    others = _dependences(depends_on, (_of_sentences(x).size(0), x.size(1))).unsqueeze(
        -1
    )  # (tokens, tokens, 1)
    sums = torch.where(others, x.flatten(0, 1), 0).sum(dim=1)  # (tokens, d_model)
    return (sums / others.sum(dim=1).clamp(min=1)).view_as(x)


@lru_cache(maxsize=100)
def _dependences(depends_on: DependsOn, size: Token) -> Tensor:
    """(token, other token). A Jacobian asks each norm a hundred times."""
    tokens = [(sentence, position) for sentence in range(size[0]) for position in range(size[1])]
    return torch.tensor(
        [[one != token and depends_on(token, one, size) for one in tokens] for token in tokens]
    )


def _of_sentences(x: Tensor) -> Tensor:
    if x.dim() != 3:
        raise ValueError("a norm is handed (batch, seq, d_model)")
    if x.size(0) * x.size(1) > MOST_TOKENS:
        raise ValueError("more tokens than any test needs")
    return x


# Which token depends on which other.


def everybody(token: Token, other: Token, size: Token) -> bool:
    return True


def other_sentences(token: Token, other: Token, size: Token) -> bool:
    return token[0] != other[0]


def own_sentence(token: Token, other: Token, size: Token) -> bool:
    return token[0] == other[0]


def elsewhere_in_other_sentences(token: Token, other: Token, size: Token) -> bool:
    return token[0] != other[0] and token[1] != other[1]


def earlier_in_the_sentence(token: Token, other: Token, size: Token) -> bool:
    return token[0] == other[0] and other[1] < token[1]


def sentence(dependent: int, source: int) -> DependsOn:
    """Only one sentence depends on another one, and on no more."""
    return lambda token, other, size: (token[0], other[0]) == (dependent, source)


def position(dependent: int, source: int) -> DependsOn:
    """In each sentence only one token depends on another one, and on no more."""
    return lambda token, other, size: (
        token[0] == other[0] and (token[1], other[1]) == (dependent, source)
    )


def others_depend_on_the_first_sentence(token: Token, other: Token, size: Token) -> bool:
    return other[0] == 0 != token[0]


def only_the_last_sentence_depends_on_itself(token: Token, other: Token, size: Token) -> bool:
    return token[0] == other[0] == size[0] - 1


def next_in_the_sentence(token: Token, other: Token, size: Token) -> bool:
    return token[0] == other[0] and other[1] == token[1] + 1
