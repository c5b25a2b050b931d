"""The class that everybody grades: invented, peaceful, and no two submissions alike."""

from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

import nbformat

from autograder.engine.assignment import SKIP, Assignment
from autograder.authoring.sample_class import Handout, Sampler, names, solutions, write_submission

PROBE = "neither cut nor changed"


@dataclass(frozen=True)
class Student:
    """One student's id, and what is handed in."""

    id: str
    handout: Handout


def invent_class(assignment: Assignment, students: int, seed: int) -> list[Student]:
    """Invent a class of which every beginning has all kinds of submissions."""
    sampler = Sampler(assignment, seed)
    peaceful = filter(_is_peaceful, map(sampler.make, count()))
    return [
        _signed(assignment, f"{name}-{number:04}", next(peaceful))
        for number, name in enumerate(names(students, seed))
    ]


def solution_and_release(assignment: Assignment) -> list[Student]:
    """What has to get full marks from everybody, and what has to get none."""
    solved = Handout(solutions(assignment), "the solution")
    return [
        _signed(assignment, "solution", solved),
        _signed(assignment, "release", Handout({}, "as released")),
    ]


def hand_in(
    assignment: Assignment, students: list[Student], submitted: Path, demos: bool
) -> list[Path]:
    """Write the class in nbgrader's layout, with or without demos; return the notebooks."""
    paths = []
    for student in students:
        folder = submitted / student.id / assignment.id
        paths.append(write_submission(assignment, folder, student.handout))
        if not demos:
            notebook = nbformat.read(paths[-1], as_version=4)
            notebook.cells = [cell for cell in notebook.cells if not is_demo(cell)]
            nbformat.write(notebook, paths[-1])
    return paths


def is_demo(cell: dict) -> bool:
    """Whether a cell is provided and not run when grading."""
    return SKIP in cell["metadata"].get("tags", ())


def _is_peaceful(handout: Handout) -> bool:
    leaves = any("os._exit" in cell for cell in handout.cells.values())
    return handout.damage(PROBE) == PROBE and not leaves


def _signed(assignment: Assignment, student: str, handout: Handout) -> Student:
    """The submission with its student's id at the end of each solution cell."""
    released = {
        cell.id: cell.source for cell in assignment.cells if cell.id in assignment.solutions
    }
    cells = {name: f"{text}\n# {student}" for name, text in (released | handout.cells).items()}
    return Student(student, replace(handout, cells=cells))
