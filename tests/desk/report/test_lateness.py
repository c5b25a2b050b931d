"""Who is late, in the lines below a class's table."""

from dataclasses import replace
from datetime import datetime

import pytest

from autograder.gradebook.commands.late_lines import entered_lines, late_lines, unsaid_lines
from autograder.gradebook.lateness.late import Lateness, Penalty

DUE = datetime(2026, 11, 20, 18)
IN_TIME = Lateness(DUE, 0, 0, 0.0, "")
LATE = replace(IN_TIME, days=2, points=5.6, sentence="Two days late: 5.6 points less.")


@pytest.mark.parametrize(
    ("lateness", "entered", "lines"),
    [
        (IN_TIME, 0.0, []),
        (LATE, 0.0, ["s1: Two days late: 5.6 points less."]),
        (LATE, 5.6, ["s1: Two days late: 5.6 points less."]),
        (LATE, 2.8, ["s1: Two days late: 5.6 points less. So far: 2.8."]),
        (IN_TIME, 2.8, ["s1: no points less. So far: 2.8."]),
        (replace(IN_TIME, doubt="It is still to come."), 0.0, ["s1: It is still to come."]),
    ],
)
def test_each_reason_is_listed_with_what_is_entered_so_far(lateness, entered, lines):
    assert list(late_lines({"s1": Penalty(lateness, entered)})) == lines


def test_how_many_penalties_are_new_is_said():
    changes = {"s1": Penalty(LATE, 0.0), "s2": Penalty(LATE, 5.6)}
    assert list(entered_lines(changes, entered=True)) == [
        "1 penalty is entered into the gradebook, as listed."
    ]
    assert "1 penalty is not entered" in next(entered_lines(changes, entered=False))
    assert list(entered_lines({"s2": changes["s2"]}, entered=True)) == []


def test_who_is_late_by_the_platforms_word_alone_is_named():
    assert list(unsaid_lines([])) == []
    assert "s1, s2. No penalty" in next(unsaid_lines(["s1", "s2"]))
