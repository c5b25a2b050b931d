"""`release`: make the versions of an assignment that nbgrader makes, or report missing parts."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from nbformat.reader import NotJSONError

from autograder._commands import terminal
from autograder._commands.exit_status import FAILED, OK, Command
from autograder._commands.options import in_course, some_assignments
from autograder.authoring.edited import find_sources
from autograder.engine import Assignment, find_course


@click.command(
    "release",
    cls=Command,
    statuses={
        OK: "made; with --check, nothing is missing",
        FAILED: "it would give something away, and the old one is kept; or a cell of the solution failed; "
        "or, with --check, something is missing",
    },
)
@some_assignments
@click.option("--solution", "of_solution", is_flag=True, help="make solution/ instead, executed")
@click.option(
    "--check", "only_check", is_flag=True, help="make nothing: name what is missing, a line each"
)
@in_course
def release(
    names: tuple[str, ...], of_solution: bool, only_check: bool, course: Path | None
) -> int:
    """Make release/ASSIGNMENT/ from source/ASSIGNMENT/, the version for students.

    With --solution, make solution/ASSIGNMENT/, executed from top to bottom. With --check, try the
    solution, each mistake and each variant, in this process; compare release/ with what nbgrader makes
    of source/ now; and name each missing piece in one line.
    """
    if of_solution and only_check:
        raise click.UsageError("--check is not allowed with --solution")
    assignments = find_sources(names, find_course(course))
    if only_check:
        return _check(assignments)
    complaints = [_complaints(assignment, of_solution) for assignment in assignments]
    return FAILED if any(complaints) else OK


def _complaints(assignment: Assignment, of_solution: bool) -> list[str]:
    """Make the student version or the executed solution. Print and return the complaints."""
    from nbgrader.converters.base import NbGraderException  # a second, and torch: not for --help

    from autograder.authoring import publish

    make = publish.solution if of_solution else publish.release
    try:
        complaints = make(assignment)
    except NbGraderException as error:
        complaints = [f"nbgrader: {error}"]
    except NotJSONError as error:
        complaints = [f"{assignment.id}: {error}"]
    terminal.complain(*complaints)
    return complaints


def _check(assignments: Sequence[Assignment]) -> int:
    """Print a sentence for each fault in assignments and releases, and return the exit status."""
    os.environ.setdefault("MPLBACKEND", "agg")  # no cell opens a window
    fault_count = 0
    for assignment in assignments:
        terminal.say_progress(f"{assignment.id}: its solution, mistakes and variants are tried.")
        for piece in _missing(assignment):
            terminal.say(f"{assignment.id}: {piece}")
            fault_count += 1
    if not fault_count:
        terminal.say(
            f"Nothing is missing in {', '.join(assignment.id for assignment in assignments)}."
        )
    return FAILED if fault_count else OK


def _missing(assignment: Assignment) -> Iterator[str]:
    """Yield a sentence for each fault in the assignment or its release."""
    from nbgrader.converters.base import NbGraderException  # as above

    from autograder.authoring.lint import missing_pieces
    from autograder.authoring.publish import check_release

    yield from missing_pieces(assignment)
    try:
        yield from check_release(assignment)
    except NbGraderException as error:
        yield f"nbgrader makes no release of it: {error}"
