"""`matrix`: try the graders of an assignment on every known mistake and every correct variant."""

import os
import sys
from pathlib import Path

import click

from autograder.cli.exit_status import FAILED, NOT_GRADED, OK, refuse

PATH = click.Path(path_type=Path)


@click.command("matrix", short_help="try the graders on known mistakes and correct variants")
@click.argument("assignment_id", metavar="ASSIGNMENT")
@click.option(
    "--jobs", type=click.IntRange(min=1), metavar="N", help="processes that grade (one a processor)"
)
@click.option("--every-way", is_flag=True, help="each mistake in all its ways")
@click.option(
    "--seeds",
    type=click.IntRange(min=0),
    default=3,
    metavar="N",
    help="for the margins (3); 0 leaves them out",
)
@click.option("--into", type=PATH, default=Path("matrix"), help="folder of the tables (matrix/)")
@click.option(
    "--course", type=PATH, metavar="DIR", help="nbgrader course (the nearest folder upwards)"
)
def matrix(
    assignment_id: str,
    jobs: int | None,
    every_way: bool,
    seeds: int,
    into: Path,
    course: Path | None,
) -> int:
    """Grade every mistake, pairs of them, and every variant behind the walls; then measure margins.

    Print which checks caught a mistake and which named it, and how far comparisons stay from their
    limits. Exit status 1: something is not as it has to be. 3: it could not be graded.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch: workers share the processors
    from rich.console import Console

    from autograder.authoring.kill_matrix import run_matrix
    from autograder.classroom.dispatch import processors
    from autograder.classroom.errors import NoWalls, NoWorkers
    from autograder.engine.assignment import find_assignment
    from autograder.engine.course import find_course
    from autograder.engine.mistake import DoesNotFit

    assignment = find_assignment(assignment_id, find_course(course))
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 170)
    try:
        wrong = run_matrix(assignment, console, into, jobs or processors(), every_way, seeds)
    except (NoWalls, NoWorkers) as error:
        return refuse(str(error), NOT_GRADED)
    except DoesNotFit as error:
        return refuse(str(error), FAILED)
    return FAILED if wrong else OK
