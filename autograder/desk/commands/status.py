"""`status`: report the progress of each assignment, and the next command to type."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from shlex import quote

import click

from autograder._commands import terminal
from autograder._commands.exit_status import FAILED, OK, Command
from autograder._commands.options import in_course, some_assignments
from autograder.desk.marking.markers import markers_of
from autograder.desk.report.status import AssignmentStatus, Row, about_course
from autograder.engine import courses, find_assignment, find_course
from autograder.gradebook.sync.database import gradebook_of


@click.command(
    "status",
    cls=Command,
    statuses={OK: "said", FAILED: "the gradebook cannot be used"},
)
@some_assignments
@in_course
def status(names: tuple[str, ...], course: Path | None) -> int:
    """Say how many submissions wait at each step, and beside each number what to type: collect,
    grade, mark, make pages, export. The sign > is before what comes next. Nothing is written.

    Read are the course's submitted/ and results/, and its gradebook.
    """
    found_course = find_course(course)
    gradebook, markers = gradebook_of(found_course), markers_of(found_course)
    suffix = f" --course {quote(str(course))}" if course else ""
    assignments = [find_assignment(name, found_course) for name in names] or courses.every(
        found_course
    )
    statuses = [AssignmentStatus(assignment, gradebook, markers) for assignment in assignments]
    terminal.say(*about_course(found_course), "")
    for assignment_status in statuses:
        for line in (assignment_status.assignment.id, *_lines(assignment_status.rows(), suffix)):
            terminal.console().print(line, soft_wrap=True)  # a command is copied in one piece
        terminal.say(*assignment_status.about(), "")
    return OK


def _lines(rows: Sequence[Row], suffix: str) -> Iterator[str]:
    """Yield a line for each row: number, description and command. `suffix`: ends each command."""
    first = next((row for row in rows if row.command), None)
    widest = max(len(row.what) for row in rows)
    for row in rows:
        number = "?" if row.number is None else row.number
        command = f"python -m autograder {row.command}{suffix}" if row.command else ""
        mark = ">" if row is first else " "
        yield f"{mark} {number:>5}  {row.what:<{widest}}  {command}".rstrip()
