"""What is recorded of a student's code, and how what it prints is read."""

import pytest
import torch

from autograder import assignments, find_assignment
from autograder.authoring.sample_class import SampleSubmission, solutions, write_submission
from autograder.desk.viva.calls import read_calls
from autograder.desk.viva.traced import SAME, SHAPE, Recorder, read_measured, traced
from autograder.engine import GraderError, RunSettings
from autograder.engine.grading import prepare
from autograder.engine.notebooks import read_submission
from autograder.mistakes.exercises import diagnose_exercises

CODE = """class Layer:
    def __init__(self, n):
        self.n = int(n)

    def forward(self, x):
        scores = x @ x.transpose(-2, -1)
        for _ in range(2):
            x = x[:, 1:] + 0
        return scores.sum(-1)
"""


def said(text: str, name: str = "stdout") -> list[dict]:
    return [{"output_type": "stream", "name": name, "text": text}]


def test_expressions_are_recorded_and_answer_what_they_did():
    recorder, names = Recorder(CODE, "", 20_000), {}
    exec(recorder.made, names)
    assert names["Layer"](1).forward(torch.ones(2, 5, 3)).shape == (2, 5)
    notes = names["viva_note"](None, None)
    seen = {one.text: notes[n] for n, one in enumerate(recorder.expressions, 20_000) if n in notes}
    assert seen["x @ x.transpose(-2, -1)"] == {"(2, 5, 5)"}
    assert seen["x[:, 1:] + 0"] == {"(2, 4, 3)", "(2, 3, 3)"}  # no certain answer
    assert "int(n)" not in seen


def test_what_is_returned_or_released_is_not_asked_about():
    given = "        scores = x @ x.transpose(-2, -1)"
    asked = {one.text for one in Recorder(CODE, given, 0).expressions if one.askable}
    assert asked == {"x[:, 1:] + 0"}


def test_code_that_is_no_python_stays_as_it_is():
    assert Recorder("def f(:", "", 0).made == "def f(:"


def test_only_lines_of_the_form_are_read_and_no_place_twice():
    text = "viva 1 (2, 5)\nviva 3 True\nviva 4 (2,)\nviva 5 ()\n"
    assert read_measured(said(text)) == {1: "(2, 5)", 3: "True", 4: "(2,)", 5: "()"}
    for odd in (
        "viva 1 <b>",
        "viva 1 (2, x)",
        "viva 1 7",
        " viva 1 ()",
        "viva 1 (2, 5) ",
        "viva 1 99999999999",
    ):
        assert read_measured(said(odd)) == {}
    assert read_measured(said("viva 1 ()\nviva 1 (2,)\nviva 2 (3,)\n")) == {2: "(3,)"}


@pytest.mark.parametrize(
    "text",
    [
        "## nothing\ncall: f(1)",
        "## softmax\nsame: f(1)",
        "## softmax\ncall: f(1)\nsame: f(2)\nwhy: so",
        "## softmax\nwords",
    ],
)
def test_an_error_in_the_calls_is_said_with_its_line(with_calls, text):
    with pytest.raises(GraderError, match=r"viva\.md`, line [12]: "):
        read_calls(with_calls(f"\n{text}".removeprefix("\n")))


def test_an_assignment_without_calls_has_none(with_calls):
    assignment = with_calls("")
    (assignment.graders / "viva.md").unlink()
    assert read_calls(assignment) == {}


@pytest.mark.walls
@pytest.mark.long
def test_every_solution_keeps_a_law_of_each_exercise_that_has_some(course, tmp_path):
    for id in assignments(course):
        assignment = find_assignment(id, course)
        content = SampleSubmission(solutions(assignment), "")
        notebook = write_submission(assignment, tmp_path / id, content)
        submission, calls = read_submission(assignment, "ada", notebook), read_calls(assignment)
        asked = [
            *traced(prepare(RunSettings(assignment), explain=diagnose_exercises), submission, calls)
        ]
        kept = {one.exercise for one in asked if one.kind == SAME}
        assert kept == {name for name, one in calls.items() if one.laws}
        assert calls and {SHAPE, SAME} == {one.kind for one in asked}
