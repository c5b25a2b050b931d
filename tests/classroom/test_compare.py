"""Two verdicts on one student: which mistakes are gone, and what a regrade changes."""

import json

import pytest
from msgspec.structs import replace

from autograder.classroom.compare import change_between, with_gone_mistakes
from autograder.engine.verdict import (
    CheckResult,
    ExerciseResult,
    NamedMistake,
    Stamp,
    Verdict,
    from_json,
)

UNSCALED, CAUSAL = (
    NamedMistake("unscaled", "No scale."),
    NamedMistake("always_causal", "No future."),
)


def verdict(submission, mistakes=(), state="answered", graded="graded", checks=()):
    points = sum((check.points for check in checks), 0.0)
    result = ExerciseResult("attention", state, points, 4.0, list(checks), list(mistakes))
    stamp = Stamp(grader="g", submission=submission, torch="2", python="3", seed=1, sandbox="n")
    exercises = [result] if graded == "graded" else []
    return Verdict("s001", "sheet", graded, points, 4.0, exercises, [], 0.1, stamp)


def check(id, points):
    return CheckResult(id, points, 2.0, points == 2.0, None)


def gone(verdict):
    return [mistake.id for result in verdict.exercises for mistake in result.gone]


def test_a_mistake_that_is_not_there_any_more_is_gone():
    second = with_gone_mistakes(verdict("b", [CAUSAL]), verdict("a", [UNSCALED, CAUSAL]))
    assert gone(second) == ["unscaled"]
    third = with_gone_mistakes(verdict("c"), second)
    assert sorted(gone(third)) == ["always_causal", "unscaled"]


def test_a_mistake_that_comes_back_is_not_gone():
    second = with_gone_mistakes(verdict("b"), verdict("a", [UNSCALED]))
    assert gone(with_gone_mistakes(verdict("c", [UNSCALED]), second)) == []


def test_the_same_submission_graded_again_has_lost_nothing():
    assert gone(with_gone_mistakes(verdict("a"), verdict("a", [UNSCALED]))) == []
    second = with_gone_mistakes(verdict("b"), verdict("a", [UNSCALED]))
    assert gone(with_gone_mistakes(verdict("b"), second)) == ["unscaled"]


@pytest.mark.parametrize(
    "between", [verdict("b", graded="unreadable"), verdict("b", state="error")]
)
def test_what_cannot_be_told_yet_is_carried_along(between):
    second = with_gone_mistakes(between, verdict("a", [UNSCALED]))
    assert gone(second) == [] and [one.id for one in second.earlier] == ["unscaled"]
    assert from_json(json.loads(json.dumps(second.to_json()))) == second
    assert gone(with_gone_mistakes(verdict("c"), second)) == ["unscaled"]


def test_a_first_verdict_says_nothing_of_earlier_ones():
    content = with_gone_mistakes(verdict("a", [UNSCALED]), None).to_json()
    assert "earlier" not in content and "gone" not in content["exercises"][0]


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
