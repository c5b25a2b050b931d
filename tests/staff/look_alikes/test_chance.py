"""What honest pairs reach: measured in the class and on independent solutions, robust against copies."""

import numpy as np

from autograder.staff.look_alikes.chance import LEAST, UNKNOWN, by_chance, outlier_level

NOBODY = np.zeros((0, 0))


def shares(size: int, level: float, copied: int = 0) -> np.ndarray:
    """Pairs that share around `level`, and some that copied."""
    dice = np.random.default_rng(4)
    found = np.triu(dice.normal(level, 0.02, (size, size)), 1)
    for one in range(0, 2 * copied, 2):
        found[one, one + 1] = 1.0
    return found + found.T


def test_a_level_is_above_what_is_usual_and_below_outliers():
    nearest = np.array([0.2, 0.22, 0.24, 0.26, 0.28, 0.3, 0.9])
    assert 0.3 < outlier_level(nearest) < 0.6


def test_copies_of_a_third_of_the_class_hardly_raise_the_level():
    honest, copied = (by_chance(shares(30, 0.3, count), NOBODY) for count in (0, 5))
    assert 0.3 < honest < 0.4 and abs(honest - copied) < 0.05


def test_no_pair_of_independent_solutions_is_above_the_level():
    assert by_chance(shares(30, 0.3), shares(4, 0.3, 1)) == 1.0
    assert by_chance(shares(4, 0.9), shares(12, 0.3)) == shares(12, 0.3).max()


def test_where_too_few_are_there_to_tell_only_the_nearly_same_is_told():
    assert by_chance(shares(5, 0.3), shares(3, 0.3)) == UNKNOWN
    assert by_chance(NOBODY, NOBODY) == UNKNOWN


def test_a_class_that_has_nothing_in_common_has_a_level_all_the_same():
    assert by_chance(np.zeros((20, 20)), NOBODY) == LEAST
