"""Intervals hold what they promise, also in a class of twelve."""

import math

import numpy as np
import pytest

from autograder.report.statistics import (
    chance_of_together,
    item_rest_correlation,
    lift,
    median,
    wilson,
)


def test_wilsons_interval_is_that_of_the_textbooks():
    found = wilson(0.5, 10)
    assert (found.low, found.high) == (
        pytest.approx(0.2366, abs=1e-4),
        pytest.approx(0.7634, abs=1e-4),
    )
    assert wilson(0, 12).low == 0 and wilson(0, 12).high == pytest.approx(0.2425, abs=1e-4)
    assert wilson(1, 12).high == 1 and wilson(1, 12).low == pytest.approx(0.7575, abs=1e-4)


@pytest.mark.parametrize("count", [8, 12, 40])
def test_nearly_all_intervals_of_discrimination_hold_the_true_value(count):
    """Checks of several difficulties, one of which has nothing to do with the others."""
    draw = np.random.default_rng(count)
    steep, hard = np.array([1.2, 1.2, 1.2, 0, 1.2, 1.2]), np.array([-1.5, -1, 0, 0, 0.5, 1])

    def a_class(size: int) -> np.ndarray:
        able = draw.normal(size=(size, 1))
        return (draw.random((size, 6)) < 1 / (1 + np.exp(-(steep * able - hard)))).astype(float)

    def of(points: np.ndarray, k: int):
        return item_rest_correlation(points[:, k], points.sum(1) - points[:, k])

    whole = a_class(100_000)
    true = [of(whole, k).value for k in range(6)]
    classes = [a_class(count) for _ in range(150)]
    found = [(of(one, k), true[k]) for one in classes for k in range(6)]
    held = [one.low <= right <= one.high for one, right in found if one]
    assert len(held) > 600 and 0.92 < np.mean(held) < 0.98
    assert abs(true[3]) < 0.02 < 0.2 < true[0]


def test_what_does_not_vary_or_is_of_few_has_no_discrimination():
    varied = np.arange(12.0)
    assert item_rest_correlation(np.ones(12), varied) is None
    assert item_rest_correlation(varied, np.zeros(12)) is None
    assert item_rest_correlation(varied[:7], varied[:7]) is None
    assert item_rest_correlation(varied, varied * 2).value == pytest.approx(1)


def test_the_median_has_the_interval_of_its_order_statistics():
    found = median(list(range(1, 13)))  # of 12 values: from the 3rd to the 10th
    assert (found.value, found.low, found.high) == (6.5, 3, 10)
    assert (median([4, 1, 2]).low, median([4, 1, 2]).high) == (1, 4)
    assert median([]) is None
    many = median(list(range(1, 1_001)))
    assert (many.low, many.high) == (469, 532)


def test_what_goes_together_by_chance_is_the_hypergeometric_tail():
    assert chance_of_together(0, 3, 4, 10) == 1
    expected = (math.comb(4, 3) * 1) / math.comb(10, 3)  # all three of the four
    assert chance_of_together(3, 4, 3, 10) == pytest.approx(expected)
    assert chance_of_together(100, 500, 200, 1_000) == pytest.approx(0.53, abs=0.02)
    assert lift(4, 5, 8, 40) == 4
