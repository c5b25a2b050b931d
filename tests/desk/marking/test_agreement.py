"""How far two markers agree, against known values."""

import re

import numpy as np
import pytest

from autograder.desk.marking.agreement import ENOUGH, agreement, weighted_kappa


def by_table(pairs: list[tuple[float, float]]) -> float:
    """Kappa from the table of categories, weight by weight, as Cohen writes it."""
    grades = sorted({mark for pair in pairs for mark in pair})
    n = len(pairs)
    seen = chance = 0.0
    for one in grades:
        for other in grades:
            weight = (one - other) ** 2
            seen += weight * sum(pair == (one, other) for pair in pairs) / n
            row = sum(first == one for first, _ in pairs) / n
            column = sum(second == other for _, second in pairs) / n
            chance += weight * row * column
    return 1 - seen / chance


def kappa_of(pairs: list[tuple[float, float]]) -> float | None:
    kappa = float(weighted_kappa(np.array(pairs)))
    return None if np.isnan(kappa) else kappa


def test_kappa_is_the_one_of_the_table_of_categories():
    pairs = [(0, 0), (0.5, 1), (1, 1), (1, 1.5), (2, 2), (2, 1), (1.5, 1.5), (0.5, 0.5)] * 4
    assert kappa_of(pairs) == pytest.approx(by_table(pairs))
    *_, said = agreement(pairs)
    kappa, low, high = map(float, re.findall(r"[\d.]+", said))
    assert kappa == pytest.approx(by_table(pairs), abs=0.005)
    assert 0 < low < kappa < high <= 1 and said == agreement(pairs)[-1]


def test_equal_marks_agree_opposite_ones_do_not_and_one_number_says_nothing():
    assert kappa_of([(0, 0), (2, 2)] * 10) == 1
    assert kappa_of([(0, 2), (2, 0)] * 10) == -1
    assert kappa_of([(0, 0), (0, 2), (2, 0), (2, 2)] * 5) == pytest.approx(0)
    assert kappa_of([(0.1, 0.1)] * 21) is None


def test_with_few_pairs_no_kappa_is_said():
    few = [(1.0, 1.5)] * (ENOUGH - 2) + [(0.0, 1.0)]
    assert agreement(few) == ("19", "+0.53", "18 of 19", "too few")
    assert agreement([(1.0, 1.5), (0.0, 1.0)] * 10)[-1] != "too few"
    assert agreement([(1.0, 1.0)] * ENOUGH)[-1] == "undefined"
