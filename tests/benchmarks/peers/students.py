"""The class that every contender grades: invented, nothing damaged, no two submissions alike."""

from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

import nbformat

from autograder import Assignment
from autograder.authoring.sample_class import (
    SampleClass,
    SampleSubmission,
    solutions,
    write_submission,
)
from autograder.authoring.sample_names import names
from autograder.engine.courses import SKIP


@dataclass(frozen=True)
class Student:
    """One student's id, and what is handed in."""

    id: str
    submission: SampleSubmission


def invent_class(assignment: Assignment, students: int, seed: int) -> list[Student]:
    """Invent a class of which every beginning has all kinds of submissions."""
    sample = SampleClass(assignment, seed)
    harmless = filter(_is_harmless, map(sample.submission, count()))
    return [
        _signed(assignment, f"{name}-{number:04}", next(harmless))
        for number, name in enumerate(names(students, seed))
    ]


def solution_and_release(assignment: Assignment) -> list[Student]:
    """What has to get full marks from everybody, and what has to get none."""
    solved = SampleSubmission(solutions(assignment), "the solution")
    return [
        _signed(assignment, "solution", solved),
        _signed(assignment, "release", SampleSubmission({}, "as released")),
    ]


def hand_in(
    assignment: Assignment, students: list[Student], submitted: Path, demos: bool
) -> list[Path]:
    """Write the class in nbgrader's layout, with or without demos; return the notebooks."""
    paths = []
    for student in students:
        folder = submitted / student.id / assignment.id
        paths.append(write_submission(assignment, folder, student.submission))
        if not demos:
            notebook = nbformat.read(paths[-1], as_version=4)
            notebook.cells = [cell for cell in notebook.cells if not is_demo(cell)]
            nbformat.write(notebook, paths[-1])
    return paths


def is_demo(cell: dict) -> bool:
    """Whether a cell is provided and not run when grading."""
    return SKIP in cell["metadata"].get("tags", ())


def _is_harmless(submission: SampleSubmission) -> bool:
    """Whether it neither ends its process nor is damaged."""
    ends = any("os._exit" in cell for cell in submission.cells.values())
    return not submission.damaged and not ends


def _signed(assignment: Assignment, student: str, submission: SampleSubmission) -> Student:
    """The submission with its student's id at the end of each solution cell."""
    released = {
        cell.id: cell.source for cell in assignment.cells if cell.id in assignment.solutions
    }
    changed = released | submission.cells
    cells = {name: f"{text}\n# {student}" for name, text in changed.items()}
    return Student(student, replace(submission, cells=cells))
