"""`lint`: what an assignment still lacks."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli.exit_status import FAILED, OK, Command
from autograder.cli.options import in_course, some_assignments
from autograder.report import terminal

if TYPE_CHECKING:
    from autograder.engine.course.assignment import Assignment


@click.command(
    "lint",
    short_help="name what assignments still lack",
    cls=Command,
    statuses={OK: "nothing is missing", FAILED: "something is missing"},
)
@some_assignments
@in_course
def lint(names: tuple[str, ...], course: Path | None) -> int:
    """Name each missing piece of the assignments in one line.

    The solution, each mistake and each variant are tried, in this process; release/ is compared with what
    nbgrader makes of source/ now.
    """
    os.environ.setdefault("MPLBACKEND", "agg")  # no cell opens a window
    from autograder.authoring.edited import find_sources
    from autograder.engine.course.course import find_course

    assignments = find_sources(names, find_course(course))
    found = 0
    for assignment in assignments:
        terminal.say_progress(f"{assignment.id}: its solution, mistakes and variants are tried.")
        for piece in _pieces(assignment):
            terminal.say(f"{assignment.id}: {piece}")
            found += 1
    if not found:
        terminal.say(f"Nothing is missing in {', '.join(one.id for one in assignments)}.")
    return FAILED if found else OK


def _pieces(assignment: "Assignment") -> Iterator[str]:
    from nbgrader.converters.base import NbGraderException

    from autograder.authoring.lint import missing_pieces
    from autograder.authoring.publish import check_release

    yield from missing_pieces(assignment)
    try:
        yield from check_release(assignment)
    except NbGraderException as error:
        yield f"nbgrader makes no release of it: {error}"
