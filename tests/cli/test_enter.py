"""`enter` on the command line: verdict files into the gradebook, at any time and any number of times."""

import shutil
import sqlite3
from contextlib import closing

import pytest
from msgspec.structs import replace as with_fields
from submissions import entered_points, hand_in_comments

from autograder.cli.main import main
from autograder.engine.fingerprint import RunSettings
from autograder.engine.graded import Graded, empty
from autograder.engine.results import ResultsFolder
from autograder.engine.submission import read_submission
from autograder.engine.verdict import ExerciseResult
from autograder.gradebook.nbgrader_course import NbgraderCourse
from autograder.people import roster_path

pytestmark = pytest.mark.database
STUDENTS = "s001", "s002"


@pytest.fixture
def results(empty_book, tmp_path) -> ResultsFolder:
    """Results of two students: a point for each exercise."""
    assignment = empty_book.assignment
    results = ResultsFolder(tmp_path / "results", assignment)
    exercises = [
        ExerciseResult(one.id, "answered", 1.0, one.points, [], []) for one in assignment.exercises
    ]
    for student, notebook in hand_in_comments(
        assignment, tmp_path / "course" / "submitted", STUDENTS
    ).items():
        submission = read_submission(assignment, student, notebook)
        verdict = empty(RunSettings(assignment, seed=1), submission, "graded")
        results.put(Graded(with_fields(verdict, exercises=exercises), {}, [], submission))
    return results


@pytest.fixture
def enter(results, tmp_path, capfd, monkeypatch):
    """Run the command on the results; return its status and what was said."""
    monkeypatch.setattr("nbgrader.api.get_alembic_version", lambda: "0")  # starts a program

    def run(*more: str, place: str = "results") -> tuple[int, str]:
        words = ["enter", str(tmp_path / place), "--course", str(tmp_path / "course"), *more]
        return main(words), "".join(capfd.readouterr())

    return run


def points(results: ResultsFolder, student: str) -> float | None:
    return entered_points(NbgraderCourse(results.assignment.course), results.assignment, student)


def test_what_differs_is_entered_and_the_second_time_nothing_does(enter, results, tmp_path):
    id = results.assignment.id
    assert enter() == (0, f"{id}: 2 verdicts entered.\n")
    assert points(results, "s001") == points(results, "s002") == 3.0
    shutil.rmtree(tmp_path / "course" / "submitted")  # it is not needed
    assert enter("--assignment", id) == (0, f"{id}: 0 verdicts entered.\n")
    assert enter(place=f"results/{id}") == (0, f"{id}: 0 verdicts entered.\n")


def test_cells_that_are_gone_are_told_and_the_others_are_entered(enter, results):
    next((results.folder / "cells").glob("s001.*")).unlink()
    status, said = enter()
    assert status == 1 and "the verdict on s001 (what its cells said is not kept" in said
    assert points(results, "s001") is None and points(results, "s002") == 3.0


def test_a_locked_gradebook_is_told_and_filled_later(enter, results, tmp_path):
    database = tmp_path / "course" / "gradebook.db"
    with closing(sqlite3.connect(database)) as formgrader:
        formgrader.execute("BEGIN EXCLUSIVE")
        status, said = enter("--gradebook", f"sqlite:///{database}?timeout=0.2")
    assert status == 1 and "did not take 2 verdicts" in said and "locked" in said
    assert enter()[0] == 0 and points(results, "s002") == 3.0


def test_a_run_that_goes_on_is_waited_for(enter, results):
    with results.exclusively():
        status, said = enter()
    assert status == 2 and "Another run is grading into" in said


@pytest.mark.parametrize(
    ("place", "more", "sentence"),
    [
        ("nowhere", (), "There is no folder `"),
        ("empty", (), "No verdicts are in `"),
        ("empty", ("--assignment", "small-sheet"), "No verdicts of `small-sheet` are in `"),
        ("results", ("--assignment", "none"), "There is no assignment `none`."),
        ("results", ("--course", "nowhere"), "is no nbgrader course"),
        ("results", ("--gradebook", "nonsense"), "The gradebook's address cannot be read"),
    ],
)
def test_wrong_usage_is_said_in_one_line(enter, tmp_path, place, more, sentence):
    (tmp_path / "empty").mkdir()
    status, said = enter(*more, place=place)
    assert status == 2 and sentence in said and said.count("\n") == 1
    assert not list((tmp_path / "empty").iterdir())


def test_each_bad_line_of_a_staffs_file_is_a_line(enter, tmp_path):
    bad = "student,assignment,until\ns001,sheet,soon\ns002,sheet,later\n"
    (tmp_path / "course" / "extensions.csv").write_text(bad)
    status, said = enter()
    assert status == 2 and said.startswith("autograder: `extensions.csv`, line 2:")
    assert said.count("\n") == 2 and "line 3: `later` is no time" in said


def test_without_a_roster_that_can_be_read_no_names_are_entered_and_that_is_said(
    enter, results, tmp_path
):
    roster = roster_path(tmp_path / "course" / "submitted", results.assignment.id)
    roster.parent.mkdir(parents=True)
    roster.write_bytes(b"\xff\xfe\x00")
    status, said = enter()
    assert status == 0 and "No names are entered: " in said and points(results, "s001") == 3.0
