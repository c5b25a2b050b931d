"""A student hands in again: the verdict says which mistakes are gone, and loses none on the way."""

import json

import pytest

from autograder.__main__ import main
from autograder.gradebook.check_cell import as_html, as_text
from autograder.classroom.compare import compared
from autograder.authoring.sample_class import Handout, write_submission
from autograder.engine.verdict import ExerciseResult, NamedMistake, Verdict, from_json

UNSCALED, CAUSAL = NamedMistake("unscaled", "No scale."), NamedMistake("always_causal", "No future.")


def verdict(submission, mistakes=(), state="answered", graded="graded"):
    result = ExerciseResult("attention", state, 1.0, 4.0, [], list(mistakes))
    stamp = {"grader": "g", "submission": submission, "torch": "2", "python": "3", "seed": 1}
    exercises = [result] if graded == "graded" else []
    stamp["sandbox"] = "namespaces"
    return Verdict("s001", "encoder-layer", graded, 1.0, 4.0, exercises, [], 0.1, stamp)


def gone(verdict):
    return [mistake.id for result in verdict.exercises for mistake in result.gone]


def test_a_mistake_that_is_not_there_any_more_is_gone():
    second = compared(verdict("b", [CAUSAL]), verdict("a", [UNSCALED, CAUSAL]))
    assert gone(second) == ["unscaled"]
    third = compared(verdict("c"), second)
    assert sorted(gone(third)) == ["always_causal", "unscaled"]


def test_a_mistake_that_comes_back_is_not_gone():
    second = compared(verdict("b"), verdict("a", [UNSCALED]))
    assert gone(compared(verdict("c", [UNSCALED]), second)) == []


def test_the_same_submission_graded_again_has_lost_nothing():
    assert gone(compared(verdict("a"), verdict("a", [UNSCALED]))) == []
    second = compared(verdict("b"), verdict("a", [UNSCALED]))
    assert gone(compared(verdict("b"), second)) == ["unscaled"]


@pytest.mark.parametrize(
    "between", [verdict("b", graded="unreadable"), verdict("b", state="error")]
)
def test_what_cannot_be_told_yet_is_carried_along(between):
    second = compared(between, verdict("a", [UNSCALED]))
    assert gone(second) == [] and [one.id for one in second.earlier] == ["unscaled"]
    assert from_json(json.loads(json.dumps(second.to_json()))) == second
    assert gone(compared(verdict("c"), second)) == ["unscaled"]


def test_a_first_verdict_says_nothing_of_earlier_ones():
    content = compared(verdict("a", [UNSCALED]), None).to_json()
    assert "earlier" not in content and "gone" not in content["exercises"][0]


def test_the_command_line_tells_and_the_student_reads_it(assignment, solved, tmp_path, capsys):
    results = tmp_path / "results"
    for turn, cell in enumerate(
        (solved["attention"].replace("dim=-1", "dim=-2"), solved["attention"])
    ):
        place = tmp_path / str(turn)
        handout = Handout(solved | {"attention": cell}, "")
        write_submission(assignment, place / "s001" / assignment.id, handout)
        options = ["--assignment", assignment.id, "--results", str(results), "--no-gradebook"]
        assert main(["grade", str(place), *options]) == 0
    capsys.readouterr()
    kept = from_json(json.loads((results / assignment.id / "s001.json").read_text()))
    result = next(result for result in kept.exercises if result.id == "attention")
    assert [mistake.id for mistake in result.gone] == ["softmax_over_another_axis"]
    for page in (as_html(result), as_text(result)):
        assert "Gone since an earlier submission" in page and "softmax" in page
