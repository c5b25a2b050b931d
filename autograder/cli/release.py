"""`release`: the versions that nbgrader makes of an assignment."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli.exit_status import FAILED, OK, Command
from autograder.cli.options import in_course, some_assignments
from autograder.engine.course.course import Course, find_course
from autograder.report import terminal

if TYPE_CHECKING:
    from autograder.engine.course.assignment import Assignment


@click.command(
    "release",
    short_help="make the version for students, or the executed solution",
    cls=Command,
    statuses={
        OK: "made",
        FAILED: "it would give something away, and the old one is kept; or a cell of the solution failed",
    },
)
@some_assignments
@click.option("--solution", "of_solution", is_flag=True, help="make solution/ instead, executed")
@in_course
def release(names: tuple[str, ...], of_solution: bool, course: Path | None) -> int:
    """Make release/ASSIGNMENT/ from source/ASSIGNMENT/, the version for students.

    With --solution, make solution/ASSIGNMENT/, executed from top to bottom.
    """
    from autograder.authoring import publish

    verb = publish.solution if of_solution else publish.release
    return _print_complaints(verb, names, find_course(course))


def _print_complaints(
    verb: "Callable[[Assignment], list[str]]", names: Sequence[str], course: Course
) -> int:
    """Do this with these assignments, or with all, and print what it complains of; return the exit
    status.
    """
    from nbformat.reader import NotJSONError
    from nbgrader.converters.base import NbGraderException

    from autograder.authoring.edited import find_sources

    status = OK
    for assignment in find_sources(names, course):
        try:
            complaints = verb(assignment)
        except NbGraderException as error:
            complaints = [f"nbgrader: {error}"]
        except NotJSONError as error:
            complaints = [f"{assignment.id}: {error}"]
        for complaint in complaints:
            terminal.complain(complaint)
            status = FAILED
    return status
