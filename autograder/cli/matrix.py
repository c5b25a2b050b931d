"""`matrix`: try the graders of an assignment on every known mistake and every correct variant."""

import os
import secrets
from pathlib import Path

import click

from autograder.cli.exit_status import FAILED, NOT_GRADED, OK, refuse
from autograder.cli.options import PATH, in_course
from autograder.report import terminal

WIDTH = 170  # columns of its tables, where there is no terminal


@click.command("matrix", short_help="try the graders on known mistakes and correct variants")
@click.argument("assignment_id", metavar="ASSIGNMENT")
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
@click.option("--exercise", metavar="ID", help="one exercise only")
@click.option(
    "--into",
    type=PATH,
    metavar="DIR",
    help="for the tables (matrix/ASSIGNMENT/, and .../EXERCISE/)",
)
@in_course
def matrix(
    assignment_id: str,
    jobs: int | None,
    every_way: bool,
    seeds: int,
    composed: int,
    seed: int | None,
    exercise: str | None,
    into: Path | None,
    course: Path | None,
) -> int:
    """Grade every mistake, pairs of them, and every variant behind the walls, and submissions that are
    composed of these at random; then measure margins.

    Print which checks caught a mistake and which named it, how many were named, and how far
    comparisons stay from their limits. Exit status 1: something is not as it has to be. 3: it could not be graded.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch: workers share the processors
    from autograder.authoring.kill_matrix import run_matrix
    from autograder.classroom.dispatch import processors
    from autograder.classroom.errors import NoWalls, NoWorkers
    from autograder.engine.assignment import find_assignment
    from autograder.engine.course import find_course
    from autograder.engine.mistake import DoesNotFit

    assignment = find_assignment(assignment_id, find_course(course))
    exercises = [one.id for one in assignment.exercises]
    if exercise and exercise not in exercises:
        there = ", ".join(exercises) or "none"
        return refuse(f"There is no exercise `{exercise}` in `{assignment.id}`. There is: {there}.")
    tables = into or Path("matrix", assignment.id, exercise or "")
    try:
        wrong = run_matrix(
            assignment,
            terminal.console(WIDTH),
            tables,
            jobs or processors(),
            every_way,
            seeds,
            exercise or "",
            composed,
            secrets.randbelow(1_000_000) if seed is None else seed,
        )
    except (NoWalls, NoWorkers) as error:
        return refuse(str(error), NOT_GRADED)
    except DoesNotFit as error:
        return refuse(str(error), FAILED)
    return FAILED if wrong else OK
