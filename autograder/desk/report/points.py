"""Compute the distribution of points in a class: quartiles and a histogram."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

MOST_BINS = 25


@dataclass(frozen=True)
class Quarters:
    """The quartiles of students' points: 25 %, 50 % and 75 %."""

    first: float
    median: float
    third: float


@dataclass(frozen=True)
class Bin:
    """A bin of the histogram: `low` <= points < `high`. The last bin includes `high`."""

    low: float
    high: float
    students: int


def quarters(points: Sequence[float]) -> Quarters | None:
    """Return the quartiles of the points, interpolated as by `numpy.quantile`, or None."""
    return Quarters(*map(float, np.quantile(points, (0.25, 0.5, 0.75)))) if points else None


def bins(points: Sequence[float], max_points: float) -> list[Bin]:
    """Return the histogram of the points from 0 to `max_points`, with at most 25 bins of 1, 2 or 5
    times a power of ten points.
    """
    highest = max([max_points, *points, 0.0])
    if highest <= 0:
        return []
    width = next(
        step * 10**power
        for power in range(-3, 308)
        for step in (1, 2, 5)
        if highest / (step * 10**power) <= MOST_BINS
    )
    width = max(width, 0.5) if highest >= 5 else width
    count = max(1, math.ceil(round(highest / width, 6)))
    counts = Counter(min(int(number / width + 1e-9), count - 1) for number in points)
    return [Bin(round(k * width, 6), round((k + 1) * width, 6), counts[k]) for k in range(count)]
