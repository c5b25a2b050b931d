"""Exercise 1: what LayerNorm will do to [2, 4, 6, 8]; each of the five answers counts by itself."""

import pytest

from .reference import PREDICTION


@pytest.mark.points(0.2)
def test_mean_after_the_norm(candidate, values_agree):
    """From each feature the mean is subtracted. What is the mean of what is left, and do a gamma of
    1 and a beta of 0 change it? Compare with the table below exercise 2."""
    assert values_agree(candidate.entry("prediction", "mean"), PREDICTION["mean"])


@pytest.mark.points(0.2)
def test_variance_after_the_norm(candidate, values_agree):
    """What is centred is divided by the root of its own variance, over as many numbers as there are
    features. What variance is left? Compare with the table below exercise 2."""
    assert values_agree(candidate.entry("prediction", "variance"), PREDICTION["variance"])


@pytest.mark.points(0.2)
def test_order_of_the_features(candidate, values_agree):
    """All features lose the same number and are divided by the same positive one. Can one of them
    overtake another? Look at the picture below exercise 2."""
    assert values_agree(candidate.entry("prediction", "order"), PREDICTION["order"])


@pytest.mark.points(0.2)
def test_ten_times_the_token(candidate, values_agree):
    """With 10 * x, what do the differences from the mean become, and what the deviation by which
    they are divided? Compare with the table below exercise 2."""
    assert values_agree(candidate.entry("prediction", "10 * x"), PREDICTION["10 * x"])


@pytest.mark.points(0.2)
def test_a_hundred_more_in_each_feature(candidate, values_agree):
    """With x + 100, what becomes of the mean, and what of the differences from it? Compare with the
    table below exercise 2."""
    assert values_agree(candidate.entry("prediction", "x + 100"), PREDICTION["x + 100"])
