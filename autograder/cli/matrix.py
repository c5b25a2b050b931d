"""`matrix`: try the graders of an assignment on every known mistake and every correct variant."""

import os
import secrets
from pathlib import Path

import click

from autograder.authoring.matrix_options import MatrixOptions
from autograder.classroom.pool import processors
from autograder.cli.exit_status import FAILED, NOT_GRADED, OK, Command, refuse
from autograder.cli.options import PATH, in_course, some_assignments
from autograder.engine.course.course import Course, find_course
from autograder.engine.limits.process import refuse_elsewhere
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
    help="how many random seeds the variants are examined with in float32 alone (3)",
)
@click.option(
    "--composed",
    type=click.IntRange(min=0),
    default=100,
    metavar="N",
    help="how many correct and how many wrong submissions to compose at random (100 each)",
)
@click.option("--seed", type=int, metavar="N", help="compose those of this seed once more")
@click.option("--exercise", default="", metavar="ID", help="one exercise only")
@click.option("--mistake", default="", metavar="ID", help="one mistake only, in every way")
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
    mistake: str,
    into: Path | None,
    course: Path | None,
) -> int:
    """Grade every mistake, pairs of them, and every variant behind the walls, and submissions that are
    composed of these at random; then measure margins.

    Print which checks caught a mistake and which named it, how many were named, and how far
    comparisons stay from their limits.
    """
    own_seed = secrets.randbelow(1_000_000) if seed is None else seed
    options = MatrixOptions(every_way, seeds, exercise, mistake, composed, own_seed)
    refuse_elsewhere("require")
    return _try_assignments(names, find_course(course), into, jobs or processors(), options)


def _try_assignments(
    names: tuple[str, ...], course: Course, into: Path | None, jobs: int, options: MatrixOptions
) -> int:
    """Try the graders of one assignment after the other; return the exit status.

    Raises `SandboxError`, `NoWorkers`.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch: workers share the processors
    from autograder.authoring.edited import find_sources, those_with, those_with_mistake
    from autograder.authoring.kill_matrix import run_matrix
    from autograder.engine.course.assignment import GraderError

    assignments = those_with(options.exercise, find_sources(names, course))
    if options.mistake:
        assignments = those_with_mistake(options.mistake, assignments)
    status = OK
    for assignment in assignments:
        tables = _tables(into, assignment.id, len(assignments) > 1, options)
        try:
            wrong = run_matrix(assignment, terminal.console(WIDTH), tables, jobs, options)
        except GraderError as error:
            wrong = [str(error)]
            refuse(f"{assignment.id}: {error}")
        status = FAILED if wrong else status
    return status


def _tables(into: Path | None, assignment: str, of_several: bool, options: MatrixOptions) -> Path:
    """The folder for the tables of one assignment."""
    if into is None:
        return Path("matrix", assignment, options.exercise, options.mistake)
    return into / assignment if of_several else into
