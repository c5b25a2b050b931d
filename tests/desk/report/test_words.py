"""Numbers have as many digits as a class can carry."""

from autograder.desk.report.words import percent, points


def test_numbers_are_short():
    said = [points(one) for one in (2.0, 3.26, 468.62, 1234567.0)]
    assert said == ["2", "3.26", "468.62", "1234567"]


def test_only_all_is_a_hundred_percent_and_only_nothing_is_zero():
    assert [percent(one) for one in (0, 0.001, 0.5, 0.999, 1)] == [
        "0%",
        "under 1%",
        "50%",
        "over 99%",
        "100%",
    ]
