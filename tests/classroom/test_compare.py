"""Two verdicts on one student: what a regrade changes."""

from msgspec.structs import replace

from autograder.classroom.compare import change_between
from autograder.engine.verdict import (
    CheckResult,
    ExerciseResult,
    Stamp,
    Verdict,
)


def verdict(submission, graded="graded", checks=()):
    points = sum((check.points for check in checks), 0.0)
    result = ExerciseResult("attention", "answered", points, 4.0, list(checks), [])
    stamp = Stamp(grader="g", submission=submission, torch="2", python="3", seed=1, sandbox="n")
    exercises = [result] if graded == "graded" else []
    return Verdict("s001", "sheet", graded, points, 4.0, exercises, [], 0.1, stamp)


def check(id, points):
    return CheckResult(id, points, 2.0, points == 2.0, None)


def test_verdicts_with_the_same_checks_are_no_change():
    before = verdict("a", checks=[check("test_values", 2.0)])
    assert change_between(before, replace(before, seconds=9.0)) is None


def test_a_change_says_which_checks_are_the_reason():
    before = verdict("a", checks=[check("test_values", 2.0), check("test_old", 0.0)])
    after = verdict("a", checks=[check("test_values", 0.0), check("test_new_one", 2.0)])
    assert change_between(before, after).row() == (
        "s001",
        "2",
        "2",
        "",
        "attention: values -2\nattention: old (gone) +0\nattention: new one (new) +2",
    )


def test_another_state_is_a_change_without_points():
    before = verdict("a", graded="unreadable")
    change = change_between(before, verdict("a"))
    assert change.row() == ("s001", "unreadable", "0", "", "unreadable before, graded now")
