"""`enter` on the command line: verdict files into the gradebook, at any time and any number of times."""

import shutil
import sqlite3
from contextlib import closing

import pytest
from msgspec.structs import replace as with_fields
from submissions import entered_points, hand_in_comments
from typed_commands import refused, typed

from autograder import ExerciseResult
from autograder.engine import Graded, ResultsFolder, RunSettings
from autograder.engine.grading.graded import empty
from autograder.engine.notebooks import read_submission
from autograder.gradebook.sync.nbgrader_course import NbgraderCourse

pytestmark = pytest.mark.database


@pytest.fixture
def results(empty_book, monkeypatch) -> ResultsFolder:
    """Results of two students, a point for each exercise, in the folder of a course."""
    assignment = empty_book.assignment
    monkeypatch.chdir(assignment.course.root)
    results = ResultsFolder(assignment.course.root / "results", assignment)
    exercises = [
        ExerciseResult(one.id, "answered", 1.0, one.points, [], []) for one in assignment.exercises
    ]
    notebooks = hand_in_comments(assignment, assignment.course.root / "submitted", ["ada", "ben"])
    for student, notebook in notebooks.items():
        submission = read_submission(assignment, student, notebook)
        verdict = empty(RunSettings(assignment, seed=1), submission, "graded")
        results.put(Graded(with_fields(verdict, exercises=exercises), {}, [], submission))
    return results


def points(results: ResultsFolder) -> list[float | None]:
    """What the gradebook has of ada and ben."""
    course = NbgraderCourse(results.assignment.course)
    return [entered_points(course, results.assignment, student) for student in ("ada", "ben")]


def test_what_differs_is_entered_and_the_second_time_nothing_does(results):
    id = results.assignment.id
    assert typed("enter", "results") == (0, f"{id}: 2 verdicts entered.\n")
    assert points(results) == [3.0, 3.0]
    shutil.rmtree("submitted")  # it is not needed
    nothing = 0, f"{id}: 0 verdicts entered, 2 as they were.\n"
    assert typed("enter", "results", "--assignment", id) == nothing
    assert typed("enter", f"results/{id}") == nothing


def test_what_cannot_be_entered_now_is_told_and_entered_later(results):
    with results.exclusively():
        assert "Another run is grading into" in refused("enter", "results")
    with closing(sqlite3.connect("gradebook.db")) as formgrader:
        formgrader.execute("BEGIN EXCLUSIVE")
        slow = "sqlite:///gradebook.db?timeout=0.2"
        status, said = typed("enter", "results", "--gradebook", slow)
    assert status == 1 and "did not take 2 verdicts" in said and "locked" in said
    (cells,) = (results.folder / "cells").glob("ada.*")
    cells.unlink()
    status, said = typed("enter", "results")
    assert status == 1 and "the verdict on ada (what its cells said is not kept" in said
    assert points(results) == [None, 3.0]


def test_what_is_wrong_with_files_of_the_staff_is_said(results):
    records = results.assignment.course.root / "records.db"
    records.write_bytes(b"\xff\xfe\x00" * 99)
    status, said = typed("enter", "results")
    assert status == 1 and "records.db` cannot be used (file is not a database)" in said
    assert records.read_bytes() == b"\xff\xfe\x00" * 99
    records.unlink()
    assert typed("enter", "results")[0] == 0 and points(results) == [3.0, 3.0]
    bad = "student,assignment,until\nada,sheet,soon\nben,sheet,later\n"
    (results.assignment.course.root / "extensions.csv").write_text(bad)
    status, said = typed("enter", "results")
    assert status == 2 and said.startswith("autograder: `extensions.csv`, line 2:")
    assert said.count("\n") == 2 and "line 3: `later` is no time" in said
