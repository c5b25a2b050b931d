"""How far two persons agree who have marked the same answers."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

ENOUGH = 20  # pairs, below which a kappa says nothing
HALF = 0.5  # points that may lie between two marks that agree
RESAMPLES = 1_000
ALMOST_NOTHING = 1e-9  # square points: all marks are one number
SEED = 1  # of the resampling: the same marks have the same interval

Pairs = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Agreement:
    """Over all pairs of marks of one exercise."""

    pairs: int
    difference: float  # the mean of second minus first
    within_half: int  # pairs that are no more than half a point apart
    kappa: float | None  # None where there are too few pairs, or all marks are one number
    interval: tuple[float, float] | None  # of the kappa, 95 %


def agreement(pairs: Pairs) -> Agreement:
    """Return how far first and second marks agree; there must be a pair."""
    kappa = weighted_kappa(pairs) if len(pairs) >= ENOUGH else None
    return Agreement(
        pairs=len(pairs),
        difference=fmean(second - first for first, second in pairs),
        within_half=sum(abs(second - first) <= HALF for first, second in pairs),
        kappa=kappa,
        interval=None if kappa is None else _interval(pairs),
    )


def weighted_kappa(pairs: Pairs) -> float | None:
    """Return Cohen's kappa, in which a difference weighs as its square; None where it is undefined.

    1 is agreement, 0 is what two persons reach who give the same marks as often, but at random:
    J. Cohen, Psychological Bulletin 70 (1968), kappa_w = 1 - sum(v p_o) / sum(v p_c), for which the
    points themselves are the categories.
    """
    first, second = [one for one, _ in pairs], [other for _, other in pairs]
    by_chance = _spread(first) + _spread(second) + (fmean(second) - fmean(first)) ** 2
    if by_chance < ALMOST_NOTHING:
        return None
    return 1 - fmean((other - one) ** 2 for one, other in pairs) / by_chance


def _spread(marks: Sequence[float]) -> float:
    mean = fmean(marks)
    return fmean((mark - mean) ** 2 for mark in marks)


def _interval(pairs: Pairs) -> tuple[float, float] | None:
    """The middle 95 % of the kappas of resampled pairs.

    The percentile bootstrap: B. Efron and R. Tibshirani, An Introduction to the Bootstrap (1993),
    equation 13.3.
    """
    chance = random.Random(SEED)
    drawn = (weighted_kappa(chance.choices(pairs, k=len(pairs))) for _ in range(RESAMPLES))
    kappas = sorted(kappa for kappa in drawn if kappa is not None)
    if not kappas:
        return None
    return kappas[int(0.025 * len(kappas))], kappas[int(0.975 * len(kappas))]
