"""`release`, `solution`, `check-release`: the versions that nbgrader makes of an assignment."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli.exit_status import FAILED, OK
from autograder.cli.options import in_course
from autograder.engine.course import Course, find_course
from autograder.report import terminal

if TYPE_CHECKING:
    from autograder.engine.assignment import Assignment


@click.command("release", short_help="make the version for students")
@click.argument("assignment")
@in_course
def release(assignment: str, course: Path | None) -> int:
    """Make release/ASSIGNMENT/ from source/ASSIGNMENT/, the version for students.

    Exit status 1: it would give something away, and the old one is kept.
    """
    from autograder.authoring import publish

    return _print_complaints(publish.release, [assignment], find_course(course))


@click.command("solution", short_help="make the executed solution")
@click.argument("assignment")
@in_course
def solution(assignment: str, course: Path | None) -> int:
    """Make solution/ASSIGNMENT/ from source/ASSIGNMENT/, executed.

    Exit status 1: a cell failed.
    """
    from autograder.authoring import publish

    return _print_complaints(publish.solution, [assignment], find_course(course))


@click.command("check-release", short_help="check whether release/ is what source/ makes")
@click.argument("assignments", nargs=-1, metavar="[ASSIGNMENT]...")
@in_course
def check_release(assignments: tuple[str, ...], course: Path | None) -> int:
    """Check whether release/ASSIGNMENT/ is what nbgrader makes of source/ASSIGNMENT/ now, and gives
    nothing away. Without an ASSIGNMENT, check all that are in source/.

    Exit status 1: something differs.
    """
    from autograder.authoring import publish
    from autograder.authoring.edited import sources

    where = find_course(course)
    return _print_complaints(publish.check_release, assignments or sources(where), where)


def _print_complaints(
    verb: "Callable[[Assignment], list[str]]", names: Sequence[str], course: Course
) -> int:
    """Do this with each assignment and print what it complains of; return the exit status."""
    from nbgrader.converters.base import NbGraderException

    from autograder.authoring.edited import find_source

    status = OK
    for assignment in [find_source(name, course) for name in names]:
        try:
            complaints = verb(assignment)
        except NbGraderException as error:
            complaints = [f"nbgrader: {error}"]
        for complaint in complaints:
            terminal.complain(complaint)
            status = FAILED
    return status
