"""How far two markers agree, against known values."""

import pytest

from autograder.staff.marking.agreement import ENOUGH, agreement, weighted_kappa


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


def test_kappa_is_the_one_of_the_table_of_categories():
    pairs = [(0, 0), (0.5, 1), (1, 1), (1, 1.5), (2, 2), (2, 1), (1.5, 1.5), (0.5, 0.5)] * 4
    assert weighted_kappa(pairs) == pytest.approx(by_table(pairs))
    found = agreement(pairs)
    assert found.kappa == weighted_kappa(pairs) and found.interval is not None
    assert found.interval[0] < found.kappa < found.interval[1] <= 1


def test_equal_marks_agree_opposite_ones_do_not_and_one_number_says_nothing():
    assert weighted_kappa([(0, 0), (2, 2)] * 10) == 1
    assert weighted_kappa([(0, 2), (2, 0)] * 10) == -1
    assert weighted_kappa([(0, 0), (0, 2), (2, 0), (2, 2)] * 5) == pytest.approx(0)
    assert weighted_kappa([(0.1, 0.1)] * 21) is None


def test_with_few_pairs_no_kappa_is_said():
    few = agreement([(1.0, 1.5)] * (ENOUGH - 2) + [(0.0, 1.0)])
    assert few.kappa is None and few.interval is None
    assert few.pairs == 19 and few.within_half == 18
    assert few.difference == pytest.approx((18 * 0.5 + 1) / 19)
    assert agreement([(1.0, 1.5), (0.0, 1.0)] * 10).kappa is not None
