"""Measure how well two tutors agree, in a table with a row for each exercise."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rich.box import SIMPLE_HEAD
from rich.table import Table

from autograder.desk.marking.second_marks import HALF, MarkComparison

ENOUGH = 20  # pairs: kappa of fewer is too uncertain to show
RESAMPLES = 1_000
ALMOST_NOTHING = 1e-9  # square points: all marks are one number
SEED = 1  # of the resampling: the same marks have the same interval


def agreement_table(compared: MarkComparison) -> Table:
    """Return a table for the terminal with the agreement of both marks in each exercise."""
    marks: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for pair in compared.pairs:
        marks[pair.exercise].append((pair.first, pair.second))
    table = Table(title=compared.assignment, title_justify="left", box=SIMPLE_HEAD)
    table.add_column("exercise")
    for heading in ("pairs", "second minus first", "within 0.5", "kappa"):
        table.add_column(heading, justify="right")
    for exercise, pairs in sorted(marks.items()):
        table.add_row(exercise, *agreement(pairs))
    return table


def agreement(pairs: Sequence[tuple[float, float]]) -> tuple[str, str, str, str]:
    """Return the agreement of two people as four texts: the number of pairs, the mean of second
    minus first mark, the number of pairs within half a point, and Cohen's weighted kappa with its
    95 % interval ("too few" for fewer than 20 pairs, "undefined" if all marks are equal).

    `pairs`: first and second mark of each answer, not empty. The interval is the percentile
    bootstrap: B. Efron and R. Tibshirani, An Introduction to the Bootstrap (1993), equation 13.3.
    """
    marks, count = np.array(pairs), len(pairs)
    kappa_text = "too few" if count < ENOUGH else "undefined"
    differences = marks[:, 1] - marks[:, 0]
    within = np.count_nonzero(np.abs(differences) <= HALF)
    if count >= ENOUGH and not np.isnan(kappa := weighted_kappa(marks)):
        drawn = np.random.default_rng(SEED).integers(count, size=(RESAMPLES, count))
        low, high = np.nanquantile(weighted_kappa(marks[drawn]), (0.025, 0.975))
        kappa_text = f"{kappa:.2f} ({low:.2f} to {high:.2f})"
    return str(count), f"{differences.mean():+.2f}", f"{within} of {count}", kappa_text


def weighted_kappa(marks: NDArray) -> NDArray:
    """Return Cohen's kappa with quadratic weights, NaN if all marks are equal. 1 means full
    agreement, 0 the agreement expected by chance.

    `marks`: array of shape (..., pairs, 2) with first and second mark. J. Cohen, Psychological
    Bulletin 70 (1968): kappa_w = 1 - sum(v p_o) / sum(v p_c), with the points as categories.
    """
    first, second = marks[..., 0], marks[..., 1]
    apart = (second.mean(-1) - first.mean(-1)) ** 2
    by_chance = first.var(-1) + second.var(-1) + apart
    by_chance = np.where(by_chance < ALMOST_NOTHING, np.nan, by_chance)
    return 1 - ((second - first) ** 2).mean(-1) / by_chance
