"""`matrix`: try the graders of an assignment on every known mistake and every correct variant."""

import os
import secrets
from pathlib import Path
from typing import Any

import click

from autograder.classroom.dispatch import processors
from autograder.classroom.errors import NoWalls, NoWorkers
from autograder.cli.exit_status import FAILED, NOT_GRADED, OK, Command, refuse
from autograder.cli.options import PATH, in_course, some_assignments
from autograder.engine.course import Course, find_course
from autograder.engine.process import SandboxError, refuse_elsewhere
from autograder.report import terminal

WIDTH = 170  # columns of its tables, where there is no terminal


@click.command(
    "matrix",
    short_help="try the graders on known mistakes and correct variants",
    cls=Command,
    statuses={
        OK: "all is as it has to be",
        FAILED: "something is not as it has to be",
        NOT_GRADED: "it could not be graded",
    },
)
@some_assignments
@click.option(
    "--jobs", type=click.IntRange(min=1), metavar="N", help="processes that grade (one a processor)"
)
@click.option(
    "--every-way",
    is_flag=True,
    help="make each mistake in every way that it lists, not only in the first",
)
@click.option(
    "--seeds",
    type=click.IntRange(min=0),
    default=3,
    metavar="N",
    help="how many random seeds the margins are measured with (3); 0: no margins",
)
@click.option(
    "--composed",
    type=click.IntRange(min=0),
    default=200,
    metavar="N",
    help="how many correct and how many wrong submissions to compose at random (200 each)",
)
@click.option("--seed", type=int, metavar="N", help="compose those of this seed once more")
@click.option("--exercise", default="", metavar="ID", help="one exercise only")
@click.option(
    "--into",
    type=PATH,
    metavar="DIR",
    help="for the tables (matrix/ASSIGNMENT/, and .../EXERCISE/)",
)
@in_course
def matrix(
    names: tuple[str, ...],
    jobs: int | None,
    every_way: bool,
    seeds: int,
    composed: int,
    seed: int | None,
    exercise: str,
    into: Path | None,
    course: Path | None,
) -> int:
    """Grade every mistake, pairs of them, and every variant behind the walls, and submissions that are
    composed of these at random; then measure margins.

    Print which checks caught a mistake and which named it, how many were named, and how far
    comparisons stay from their limits.
    """
    options = {
        "jobs": jobs or processors(),
        "every_way": every_way,
        "seeds": seeds,
        "exercise": exercise,
        "composed": composed,
        "seed": secrets.randbelow(1_000_000) if seed is None else seed,
    }
    try:
        refuse_elsewhere("require")
        return _try_assignments(names, find_course(course), into, options)
    except (NoWalls, NoWorkers, SandboxError) as error:
        return refuse(str(error), NOT_GRADED)


def _try_assignments(
    names: tuple[str, ...], course: Course, into: Path | None, options: dict[str, Any]
) -> int:
    """Try the graders of one assignment after the other; return the exit status.

    `options` are those of `run_matrix`. Raises `NoWalls`, `NoWorkers`.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch: workers share the processors
    from autograder.authoring.edited import find_sources, those_with
    from autograder.authoring.kill_matrix import run_matrix
    from autograder.engine.assignment import GraderError

    exercise = options["exercise"]
    assignments = those_with(exercise, find_sources(names, course))
    status = OK
    for assignment in assignments:
        tables = _tables(into, assignment.id, len(assignments) > 1, exercise)
        try:
            wrong = run_matrix(assignment, terminal.console(WIDTH), tables, **options)
        except GraderError as error:
            wrong = [str(error)]
            refuse(f"{assignment.id}: {error}")
        status = FAILED if wrong else status
    return status


def _tables(into: Path | None, assignment: str, of_several: bool, exercise: str) -> Path:
    """The folder for the tables of one assignment."""
    if into is None:
        return Path("matrix", assignment, exercise)
    return into / assignment if of_several else into
