"""`visible-checks`: which known mistakes a notebook's own checks catch, before it is handed in."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli.exit_status import FAILED, OK, Command, refuse
from autograder.cli.options import in_course, some_assignments
from autograder.report import terminal
from autograder.toolbox.exercises import Result

if TYPE_CHECKING:
    from autograder.authoring.visible_checks import VisibleChecks


@click.command(
    "visible-checks",
    short_help="try the notebook's own checks on known mistakes",
    cls=Command,
    statuses={OK: "no false alarm", FAILED: "there is a false alarm"},
)
@some_assignments
@click.option("--exercise", default="", metavar="ID", help="one exercise only")
@click.option(
    "--first-way", is_flag=True, help="make each mistake only in the first way that it lists"
)
@click.option("--words", is_flag=True, help="print what the student sees first, for each mistake")
@in_course
def visible_checks(
    names: tuple[str, ...], exercise: str, first_way: bool, words: bool, course: Path | None
) -> int:
    """Run the visible checks, in this process, on every known mistake in every way, and on what is right.

    Print the mistakes that they pass over and the right code that they complain about.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch: the tensors are small
    from autograder.authoring.edited import find_sources
    from autograder.authoring.visible_checks import VisibleChecks
    from autograder.engine.course.course import find_course

    notebooks = [VisibleChecks(one) for one in find_sources(names, find_course(course))]
    chosen = [one for one in notebooks if exercise in ("", *one.exercises)]
    if not chosen:
        ids = " or ".join(f"`{one.assignment.id}`" for one in notebooks)
        return refuse(f"No exercise `{exercise}` of {ids} has a visible check.")
    alarms = [_try_notebook(one, exercise, first_way, words) for one in chosen]
    return FAILED if any(alarms) else OK


def _try_notebook(checks: "VisibleChecks", exercise: str, first_way: bool, words: bool) -> bool:
    """Try the checks of one notebook; return whether there is a false alarm."""
    from autograder.authoring.rows import all_rows
    from autograder.authoring.visible_checks import table_of, try_rows

    terminal.say_progress(
        f"{checks.assignment.id}: the visible checks are tried on what is wrong and right."
    )
    tried = []
    for one in try_rows(checks, all_rows(checks.assignment, not first_way), exercise):
        tried.append(one)
        if one.is_silent:
            terminal.say(f"silent: {one.row.id}")
        elif one.is_false_alarm:
            terminal.say(f"FALSE ALARM: {one.row.place}, {one.exercise}: {_said(one.result)}")
        elif words and not one.row.is_right:
            terminal.say(f"{one.row.id}: {_said(one.result)}")
    terminal.console().print(table_of(tried))
    return any(one.is_false_alarm for one in tried)


def _said(result: Result) -> str:
    return " | ".join([result.question, *result.message.splitlines()])
