"""nbgrader as it comes: a course of its own, hidden tests in the check cells, and `autograde`."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook

from autograder import Assignment
from tests.benchmarks.peers.contender import Full, Prepared, environment, functions, plain_tests
from tests.benchmarks.peers.job import Failed, Job
from tests.benchmarks.peers.students import Student, hand_in, is_demo

CONFIG = """c = get_config()
c.CourseDirectory.course_id = "plain"
c.Execute.timeout = c.Execute.startup_timeout = 600  # not to cost points on a busy machine
"""
BEGIN, END = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"
NBGRADER = [sys.executable, "-m", "nbgrader"]


def prepare(
    assignment: Assignment, students: list[Student], top: Path, folder: Path, jobs: int
) -> Prepared:
    """Make the course and its release, and lay out the class. Raises `Failed`.

    `jobs` is what others use: nbgrader grades one submission after the other.
    """
    (folder / "nbgrader_config.py").write_text(CONFIG)
    _write_source(assignment, folder / "source" / assignment.id)
    _release(assignment, top, folder)
    hand_in(assignment, students, folder / "submitted", demos=False)
    command = [*NBGRADER, "autograde", assignment.id]
    return Prepared(
        job=Job([command], folder, environment(top)),
        done=lambda: len(list((folder / "autograded").glob("*"))),
        full=lambda: _full(assignment, students, folder),
    )


def _write_source(assignment: Assignment, folder: Path) -> None:
    """Our source without demos, with the plain tests in the place of the checks that students see."""
    notebook = nbformat.read(assignment.source, as_version=4)
    notebook.cells = [cell for cell in notebook.cells if not is_demo(cell)]
    tests = plain_tests(assignment)
    hidden = {exercise.check_cell: tests[exercise.id] for exercise in assignment.exercises}
    for cell in notebook.cells:
        if cell.id in hidden:
            cell.source = f"{BEGIN}\n{_cell_of(hidden[cell.id])}\n{END}"
    folder.mkdir(parents=True)
    nbformat.write(notebook, folder / f"{assignment.id}.ipynb")


def _cell_of(tests: str) -> str:
    """The tests, and a call of each with what it asks for, from the notebook's names."""
    calls = [f"{name}({', '.join(wanted)})" for name, wanted in functions(tests).items()]
    return "\n".join([tests, *calls])


def _release(assignment: Assignment, top: Path, folder: Path) -> None:
    """Tell the course's gradebook what the assignment consists of."""
    done = subprocess.run(
        [*NBGRADER, "generate_assignment", assignment.id],
        cwd=folder,
        env=os.environ | environment(top),
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise Failed(f"`nbgrader generate_assignment` failed. {done.stderr[-800:]}")


def _full(assignment: Assignment, students: list[Student], folder: Path) -> Full:
    exercises = {exercise.check_cell: exercise for exercise in assignment.exercises}
    marks = {}
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as gradebook:
        for student in students:
            submission = gradebook.find_submission(assignment.id, student.id)
            for grade in (grade for one in submission.notebooks for grade in one.grades):
                if exercise := exercises.get(grade.name):
                    marks[student.id, exercise.id] = grade.auto_score == exercise.points
    return marks
