"""`matrix`: try the graders or visible checks of an assignment on mistakes and correct variants."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder._commands import terminal
from autograder._commands.exit_status import FAILED, NOT_GRADED, OK, Command, refuse
from autograder._commands.options import in_course, some_assignments
from autograder.authoring.edited import find_sources, those_with, those_with_mistake
from autograder.authoring.rows import MatrixOptions, asked_rows
from autograder.authoring.toolbox.exercises import Result
from autograder.classroom.pool import processors
from autograder.engine import Assignment, GraderError, find_course, limits

if TYPE_CHECKING:
    from autograder.authoring.visible_checks import VisibleChecks

WIDTH = 170  # columns of its tables without a terminal
COMPOSED = 100  # number of correct submissions, and of wrong ones
SEEDS = 3  # number of seeds for correct submissions in float32


@click.command(
    "matrix",
    cls=Command,
    statuses={
        OK: "all is as it has to be",
        FAILED: "something is not as it has to be; with --visible, there is a false alarm",
        NOT_GRADED: "it could not be graded",
    },
)
@some_assignments
@click.option("--exercise", default="", metavar="ID", help="one exercise only")
@click.option(
    "--mistake",
    default="",
    metavar="ID",
    help="one mistake only, in every way; with --visible, also what the student sees first",
)
@click.option(
    "--every-way",
    is_flag=True,
    help="make each mistake in every way that it lists, not only in the first",
)
@click.option(
    "--seed", type=int, metavar="N", help="compose the submissions of this seed once more"
)
@click.option(
    "--visible", is_flag=True, help="try the notebook's own checks, in this process, without walls"
)
@in_course
def matrix(
    names: tuple[str, ...],
    exercise: str,
    mistake: str,
    every_way: bool,
    seed: int | None,
    visible: bool,
    course: Path | None,
) -> int:
    """Grade every mistake, pairs of them, and every variant behind the walls, and submissions that are
    composed of these at random; then measure margins.

    Print which checks caught a mistake and which named it, how many were named, and how far
    comparisons stay from their limits. The tables are also written, to matrix/ASSIGNMENT/.

    With --visible, print which mistakes the notebook's own checks pass over and which right code they
    complain about.
    """
    if visible and seed is not None:
        raise click.UsageError("--seed is not allowed with --visible, which composes nothing")
    if not visible:
        limits.refuse_elsewhere("require")
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch: workers share the processors
    sources = find_sources(names, find_course(course))
    assignments = those_with(exercise, sources)
    if mistake:
        assignments = those_with_mistake(mistake, assignments)
    if visible:
        return _try_visible(assignments, MatrixOptions(every_way, 0, exercise, mistake))
    own_seed = secrets.randbelow(1_000_000) if seed is None else seed
    options = MatrixOptions(every_way, SEEDS, exercise, mistake, COMPOSED, own_seed)
    return _try_graders(assignments, options)


def _try_graders(assignments: Sequence[Assignment], options: MatrixOptions) -> int:
    """Run the kill matrix of each assignment, and return the exit status."""
    from autograder.authoring.kill_matrix import run_matrix  # imports torch

    status = OK
    for assignment in assignments:
        tables = Path("matrix", assignment.id, options.exercise, options.mistake)
        try:
            complaints = run_matrix(
                assignment, terminal.console(WIDTH), tables, processors(), options
            )
        except GraderError as error:
            complaints = [str(error)]
            refuse(f"{assignment.id}: {error}")
        status = FAILED if complaints else status
    return status


def _try_visible(assignments: Sequence[Assignment], options: MatrixOptions) -> int:
    """Run the visible checks of each assignment, and return the exit status."""
    from autograder.authoring.visible_checks import VisibleChecks  # imports torch

    notebooks = [VisibleChecks(assignment) for assignment in assignments]
    chosen = [checks for checks in notebooks if options.exercise in ("", *checks.exercises)]
    if not chosen:
        ids = " or ".join(f"`{assignment.id}`" for assignment in assignments)
        return refuse(f"No exercise `{options.exercise}` of {ids} has a visible check.")
    alarms = [_try_notebook(checks, options) for checks in chosen]
    return FAILED if any(alarms) else OK


def _try_notebook(checks: VisibleChecks, options: MatrixOptions) -> bool:
    """Run the visible checks of a notebook, and return whether a correct row fails."""
    from autograder.authoring.visible_matrix import table_of, try_rows  # imports torch

    terminal.say_progress(
        f"{checks.assignment.id}: the visible checks are tried on what is wrong and right."
    )
    results = []
    for result in try_rows(checks, asked_rows(checks.assignment, options), options.exercise):
        results.append(result)
        if result.is_silent:
            terminal.say(f"silent: {result.row.id}")
        elif result.is_false_alarm:
            terminal.say(
                f"FALSE ALARM: {result.row.place}, {result.exercise}: {_said(result.result)}"
            )
        elif options.mistake and not result.row.is_right:
            terminal.say(f"{result.row.id}: {_said(result.result)}")
    terminal.console().print(table_of(results))
    return any(result.is_false_alarm for result in results)


def _said(result: Result) -> str:
    """Return the student's message of a check's result, as one line."""
    return " | ".join([result.question, *result.message.splitlines()])
