"""Two verdicts on one student: what a regrade changes."""

import pytest

from autograder import CheckResult, ExerciseResult, Verdict
from autograder.classroom.compare import change_between
from autograder.engine.verdicts import Stamp

STAMP = Stamp(grader="g", submission="a", torch="2", python="3", seed=1, sandbox="n")
GONE_AND_NEW = "attention: values -2\nattention: old (gone) +0\nattention: new one (new) +2"


def verdict(seconds: float, state: str = "graded", **points: float) -> Verdict:
    """A verdict with a check of each of these names."""
    checks = [
        CheckResult(f"test_{name}", one, 2.0, one == 2.0, None) for name, one in points.items()
    ]
    total = sum(points.values())
    results = [ExerciseResult("attention", "answered", total, 4.0, checks, [])]
    return Verdict("s001", "sheet", state, total, 4.0, results, [], seconds, STAMP)


@pytest.mark.parametrize(
    ("before", "after", "row"),
    [
        (verdict(0.1, values=2.0), verdict(9.0, values=2.0), None),
        (
            verdict(0.1, values=2.0, old=0.0),
            verdict(0.1, values=0.0, new_one=2.0),
            ("s001", "2", "2", "", GONE_AND_NEW),
        ),
        (
            verdict(0.1, "unreadable"),
            verdict(0.1),
            ("s001", "unreadable", "0", "", "unreadable before, graded now"),
        ),
    ],
    ids=["the same checks", "other checks", "another state"],
)
def test_a_change_says_which_checks_or_states_are_the_reason(before, after, row):
    change = change_between(before, after)
    assert (change and change.row()) == row
