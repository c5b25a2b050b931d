"""What a student had before: kept once a verdict, and compared with what they have now."""

import pytest

from autograder import ExerciseResult, NamedMistake
from autograder.engine import Verdict
from autograder.engine.verdicts import Stamp, history, read_history, with_gone_mistakes

UNSCALED, CAUSAL = (
    NamedMistake("unscaled", "No scale."),
    NamedMistake("always_causal", "No future."),
)


def verdict(submission, mistakes=(), state="answered", graded="graded"):
    result = ExerciseResult("attention", state, 0.0, 4.0, [], list(mistakes))
    stamp = Stamp(grader="g", submission=submission, torch="2", python="3", seed=1, sandbox="n")
    exercises = [result] if graded == "graded" else []
    return Verdict("s001", "sheet", graded, 0.0, 4.0, exercises, [], 0.1, stamp)


def gone(now, *had):
    found = with_gone_mistakes(now, had)
    return [mistake.id for result in found.exercises for mistake in result.gone]


def test_a_mistake_that_is_not_there_any_more_is_gone():
    first, second = verdict("a", [UNSCALED, CAUSAL]), verdict("b", [CAUSAL])
    assert gone(second, first) == ["unscaled"]
    assert gone(verdict("c"), first, second) == ["unscaled", "always_causal"]


def test_a_mistake_that_comes_back_is_not_gone():
    assert gone(verdict("c", [UNSCALED]), verdict("a", [UNSCALED]), verdict("b")) == []


def test_the_same_submission_graded_again_has_lost_nothing():
    assert gone(verdict("a"), verdict("a", [UNSCALED])) == []
    assert gone(verdict("b"), verdict("a", [UNSCALED]), verdict("b")) == ["unscaled"]


@pytest.mark.parametrize(
    "between", [verdict("b", graded="unreadable"), verdict("b", state="error")]
)
def test_where_nothing_is_answered_nothing_is_gone_yet(between):
    first = verdict("a", [UNSCALED])
    assert gone(between, first) == []
    assert [one.id for one in with_gone_mistakes(between, [first]).earlier] == ["unscaled"]
    assert gone(verdict("c"), first, between) == ["unscaled"]


def test_each_verdict_is_kept_once_and_the_oldest_comes_first(tmp_path):
    first, second = verdict("a", [UNSCALED]), verdict("b")
    for one in (first, first, second, second):  # of a run that was killed, and its next start
        history.add_to_history(tmp_path, one)
    assert read_history(tmp_path, "sheet", "s001") == [first, second]
    assert history.history_path(tmp_path, "sheet", "s001").read_text().count("\n") == 2
    assert read_history(tmp_path, "sheet", "s002") == []


def test_a_line_that_cannot_be_read_hides_no_other(tmp_path):
    history.add_to_history(tmp_path, verdict("a"))
    path = history.history_path(tmp_path, "sheet", "s001")
    path.write_bytes(path.read_bytes() + b"\xff{no verdict\n[[[\n" + b"[" * 50_000 + b"\n")
    history.add_to_history(tmp_path, verdict("b"))
    assert [one.stamp.submission for one in read_history(tmp_path, "sheet", "s001")] == ["a", "b"]
