"""Exercise 9: four statements and a figure. A wrong answer costs its own points, and never more."""

import pytest


@pytest.mark.points(0.4)
def test_statement_a(candidate, values_agree):
    """Statement a is about the path past the norm. Follow x to the plus sign, in the figure whose
    norm stands before the sub-layer: does the norm act on it? (Xiong et al. 2020, figure 1)"""
    assert values_agree(candidate.entry("answers", "a"), True)


@pytest.mark.points(0.4)
def test_statement_b(candidate, values_agree):
    """Statement b is about post-norm. Read `forward` of your `AddAndNorm` from exercise 3 from the
    inside out: which comes first, the sum or the norm? (Attention Is All You Need, section 3.1)"""
    assert values_agree(candidate.entry("answers", "b"), False)


@pytest.mark.points(0.4)
def test_statement_c(candidate, values_agree):
    """Statement c is about what the feed forward layer sees. Exercise 8 builds it once more: how
    many positions does a kernel cover? (Attention Is All You Need, section 3.3)"""
    assert values_agree(candidate.entry("answers", "c"), False)


@pytest.mark.points(0.4)
def test_statement_d(candidate, values_agree):
    """Statement d is about the parts and sizes of the feed forward layer. Exercise 5 computes it,
    exercise 8 rebuilds it: how many weights, and how wide is what comes out? (Attention Is All You
    Need, section 3.3)"""
    assert values_agree(candidate.entry("answers", "d"), True)


@pytest.mark.points(0.4)
def test_the_figure_of_pre_norm(candidate, values_agree):
    """Pre and post say where the norm stands beside the sub-layer. What does an arrow that comes in
    at the bottom of each figure meet first? (Xiong et al. 2020, figure 1)"""
    assert values_agree(candidate.entry("answers", "pre-norm"), "left")
