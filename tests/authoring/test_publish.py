"""The versions are what nbgrader makes of the source, and the release gives nothing away."""

import os
from pathlib import Path

import nbformat
import pytest
from courses import OF_THE_TESTS, OURS, each_assignment
from skeletons import contents
from typed_commands import refused, typed

from autograder import Assignment
from autograder.authoring import publish
from autograder.authoring.exercise_table import exercise_table

pytestmark = pytest.mark.slow  # nbgrader and kernels


@each_assignment
def test_the_release_is_what_the_source_makes_and_leaks_nothing(assignment):
    assert publish.check_release(assignment) == []


def test_a_stale_release_is_noticed(assignment, copied_course):
    folder = copied_course.release / assignment.id
    (folder / "README.md").write_text("# Other")
    (folder / "notes.txt").write_text("left behind")
    complaints = publish.check_release(Assignment(assignment.id, copied_course))
    assert f"run `python -m autograder release {assignment.id}`." in complaints[0]
    assert len(complaints) == 2 and "README.md" in complaints[0]


def test_an_old_first_cell_in_the_source_is_noticed_and_replaced(assignment, copied_course):
    copied = Assignment(assignment.id, copied_course)
    notebook = nbformat.read(copied.source, as_version=4)
    next(cell for cell in notebook.cells if cell.id == "set_up").source += "\nold = 1"
    nbformat.write(notebook, copied.source)
    complaints = publish.check_release(copied)
    assert complaints[0].endswith(
        f"has an old cell `set_up`: run `python -m autograder release {copied.id}`."
    )
    assert publish.release(copied) == [] and publish.check_release(copied) == []
    assert copied.source.read_bytes() == assignment.source.read_bytes()


@pytest.mark.parametrize(
    "assignment",
    [*OF_THE_TESTS, *(pytest.param(one, marks=pytest.mark.long) for one in OURS)],
    ids=lambda one: one.id,
)
def test_the_solution_runs_from_top_to_bottom(assignment, tmp_path):
    """`test_hand_in.py` and `test_release_files.py` run a solved notebook of this repository, too."""
    made = publish.make_solution(assignment, tmp_path)
    assert list(publish.failures(made / f"{assignment.id}.ipynb")) == []
    cells = nbformat.read(made / f"{assignment.id}.ipynb", as_version=4).cells
    checks = [cell for cell in cells if cell.id.startswith("check_")]
    assert len(checks) == len(assignment.exercises)
    table = exercise_table(assignment.cells)
    quizzes = [table[cell.id.removeprefix("check_")].form_only for cell in checks]
    said = [o.metadata.get("check") for cell in checks for o in cell.outputs]
    assert said in ([], [{"state": "filled" if is_quiz else "done"} for is_quiz in quizzes])
    if assignment.id == "encoder-layer":  # its demos
        pictures = [
            o
            for cell in cells
            for o in cell.get("outputs", ())
            if "image/png" in str(o.get("data", ""))
        ]
        assert len(pictures) >= 8
        answer = next(cell for cell in cells if cell.id == "demo_word").outputs[0].text
        assert answer == "transformer -> remrofsnart\n"


def test_a_release_that_may_not_be_written_is_called_that_and_kept(copied, monkeypatch):
    before = copied.release.read_bytes()
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != copied.release.parent)
    with pytest.raises(OSError, match="is read-only"):
        publish.release(copied)
    assert copied.release.read_bytes() == before


def test_a_release_that_is_another_courses_is_not_written(copied, tmp_path):
    assert typed("course", "new", tmp_path / "practice", "--course", copied.course.root)[0] == 0
    before = contents(copied.course.root)
    said = refused("release", "--course", tmp_path / "practice")
    assert f"`{copied.course.release}` is not in the course" in said
    assert contents(copied.course.root) == before
