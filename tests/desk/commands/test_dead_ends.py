"""A command that has nothing to work on names the reason and the next step."""

import json
import re
from pathlib import Path

import pytest
from msgspec.structs import replace as with_fields
from submissions import edit, hand_in_comments
from typed_commands import typed

from autograder import Assignment, ExerciseResult
from autograder.engine import Graded, ResultsFolder, RunSettings
from autograder.engine.grading import ungraded
from autograder.engine.notebooks import read_submission

pytestmark = [pytest.mark.database, pytest.mark.slow]  # nbgrader


@pytest.fixture
def in_course(empty_book, monkeypatch) -> Assignment:
    """The small assignment in a course with a gradebook, which is the working directory."""
    monkeypatch.chdir(empty_book.assignment.course.root)
    return empty_book.assignment


def put(assignment: Assignment, **states: str) -> None:
    """Write a verdict in this state for each student."""
    results = ResultsFolder(Path("results"), assignment)
    exercises = [
        ExerciseResult(one.id, "answered", 1.0, one.points, [], []) for one in assignment.exercises
    ]
    notebooks = hand_in_comments(assignment, Path("submitted"), [*states])
    for student, state in states.items():
        submission = read_submission(assignment, student, notebooks[student])
        verdict = ungraded(RunSettings(assignment, seed=1), submission, "It is a drawing.").verdict
        if state == "graded":
            verdict = with_fields(verdict, exercises=exercises, reason=None)
        results.put(Graded(with_fields(verdict, state=state), {}, [], submission))


UNREADABLE = "Unreadable: ada. Ask for another file, `collect` and `grade` it."
NOT_GRADED = "Not graded: ben. `grade` again; it says why."


@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("feedback", 2),
        ("feedback small-sheet", 2),
        ("export --format csv", 0),
        ("export --format canvas", 0),
        ("enter", 0),
        ("report", 0),
        ("marking list", 0),
        ("marking copy-marks", 0),
        ("course grades --to all.csv", 0),
    ],
)
def test_verdicts_without_points_are_named_with_what_to_do(in_course, command, status):
    put(in_course, ada="unreadable", ben="not_graded")
    ended, printed = typed(*command.split())
    printed = " ".join(printed.split())
    assert ended == status and UNREADABLE in printed and NOT_GRADED in printed
    if command.startswith("export"):
        assert "small-sheet: 0 grades from 2 verdicts." in printed


def test_verdicts_that_no_gradebook_has_are_to_be_entered(in_course):
    put(in_course, ada="graded")
    for command in ("feedback", "marking list", "marking copy-marks"):
        _, printed = typed(*command.split())
        sentence = "lacks 1 graded verdict of `results/`: `enter` first."
        assert sentence in " ".join(printed.split())
    _, printed = typed("export", "--format", "csv")
    assert "1 grade from 1 verdict." in printed and "`enter` enters it" in printed
    assert typed("enter") == (0, "small-sheet: 1 verdict entered.\n")
    assert typed("enter") == (0, "small-sheet: 0 verdicts entered, 1 as they were.\n")
    assert typed("feedback")[0] == 0


def test_an_assignment_that_nobody_marks_by_hand_is_not_to_be_graded_again(copied, monkeypatch):
    def without_words(content: dict) -> None:
        content["cells"] = [cell for cell in content["cells"] if cell["id"] != "explain"]

    monkeypatch.chdir(copied.course.root)
    edit(copied.source, without_words)
    assert typed("release")[0] == 0
    assignment = Assignment(copied.id, copied.course)
    put(assignment, ada="graded")
    assert typed("enter")[0] == 0
    status, printed = typed("marking", "list")
    assert status == 0
    assert printed == "Nothing in the gradebook is marked by hand. No exercise asks for it.\n"


COMMANDS = {
    "grade": "`collect` makes a folder of a download",
    "look-alikes": "`collect` makes a folder of a download",
    "enter": "`grade` makes it",
    "report": "`grade` makes it",
    "export --format csv": "`grade` makes it",
    "show ada": "`grade` makes it",
    "course grades --to all.csv": "`grade` makes it",
    "feedback": "`grade` first",
    "marking list": "`grade` first",
    "marking copy-marks": "`grade` first",
    "marking compare": "--second 10% of `marking page` and `marking list` asks for them",
    "marking page --for kim": "add it there",
    "inquiries list": "`inquiries add` records one",
    "status": "python -m autograder collect DOWNLOAD",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_before_anything_is_submitted_the_next_step_is_named(in_course, command):
    _, printed = typed(*command.split())
    assert COMMANDS[command] in " ".join(printed.split())


def test_one_submission_is_not_compared(in_course):
    hand_in_comments(in_course, Path("submitted"), ["ada"])
    status, printed = typed("look-alikes")
    assert status == 0 and "before two students have answered an exercise" in printed
    assert "No pair" not in printed


WITHOUT_IDS = re.compile(r'^ *"id": .*\n', re.MULTILINE)


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda text: text[:400], r"its JSON is damaged \(line \d+\)"),
        (
            lambda text: text.replace("\n", "\n<<<<<<< HEAD\n", 1),
            r"git's conflict markers \(`<<<<<<<` in line 2\)",
        ),
        (lambda text: WITHOUT_IDS.sub("", text), "cells without an id: open it in JupyterLab"),
    ],
)
def test_a_source_that_nbgrader_cannot_read_is_named_with_the_line(copied, damage, sentence):
    copied.source.write_text(damage(json.dumps(json.loads(copied.source.read_text()), indent=1)))
    status, printed = typed("release", copied.id, "--course", copied.course.root)
    assert status == 1 and len(printed.splitlines()) == 1
    assert re.match(f"source/small-sheet/small-sheet.ipynb .*{sentence}", printed)
