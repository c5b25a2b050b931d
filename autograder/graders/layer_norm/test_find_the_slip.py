"""Exercise 4: two printed calculations with a mistake in each.

Every entry is graded by itself, and what follows from a student's own step before it is right.
"""

import pytest

ADD, FEED = "add and norm", "feed forward"


@pytest.mark.points(0.5)
def test_first_wrong_step_of_add_and_norm(names_the_slip):
    """Add and norm, as printed: which step, computed of the printed line before it, comes out as
    another number?"""
    assert names_the_slip(ADD)


@pytest.mark.points(0.25)
def test_sum(step_agrees):
    """The sum: which two vectors are added, feature by feature?"""
    assert step_agrees(ADD, "sum")


@pytest.mark.points(0.25)
def test_mean(step_agrees):
    """The mean: of which four numbers?"""
    assert step_agrees(ADD, "mean")


@pytest.mark.points(0.5)
def test_variance(step_agrees):
    """The variance: how far is each number of the sum from the mean, what is done to these
    distances, and by how many is their total divided?"""
    assert step_agrees(ADD, "variance")


@pytest.mark.points(0.25)
def test_normalised(step_agrees):
    """Normalised: each number minus the mean, over what? Have your four numbers the mean 0 and the
    variance 1?"""
    assert step_agrees(ADD, "normalised")


@pytest.mark.points(0.5)
def test_first_wrong_step_of_feed_forward(names_the_slip):
    """Feed forward, as printed: which step, computed of the printed line before it, comes out as
    another?"""
    assert names_the_slip(FEED)


@pytest.mark.points(0.25)
def test_hidden(step_agrees):
    """Hidden: each unit is x times one column of W1, plus its entry of b1. Which numbers are in
    that column?"""
    assert step_agrees(FEED, "hidden")


@pytest.mark.points(0.25)
def test_relu(step_agrees):
    """The ReLU: what becomes of a negative number, and what of a positive one?"""
    assert step_agrees(FEED, "relu")


@pytest.mark.points(0.25)
def test_output(step_agrees):
    """The output: what goes into the second product, and along which side of W2 is the sum?"""
    assert step_agrees(FEED, "output")
