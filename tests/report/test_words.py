"""Numbers have as many digits as a class can carry."""

from autograder.report.statistics import Estimate, wilson
from autograder.report.words import correlation_text, percent, points, share_text


def test_numbers_are_short():
    assert share_text(wilson(0.5, 12)) == "50% (25 to 75)"
    assert correlation_text(Estimate(0.377, -0.04, 0.61)) == "0.4 (0.0 to 0.6)"
    assert share_text(None) == correlation_text(None) == "not known"
    assert [points(one) for one in (2.0, 3.26, 468.62, 1234567.0)] == [
        "2",
        "3.3",
        "468.6",
        "1234567",
    ]


def test_only_all_is_a_hundred_percent_and_only_nothing_is_zero():
    assert [percent(one) for one in (0, 0.001, 0.5, 0.999, 1)] == [
        "0%",
        "under 1%",
        "50%",
        "over 99%",
        "100%",
    ]
