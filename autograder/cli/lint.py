"""`lint`: what an assignment still lacks."""

import os
from pathlib import Path

import click

from autograder.cli.exit_status import FAILED, OK
from autograder.cli.options import in_course
from autograder.report import terminal


@click.command("lint", short_help="name what assignments still lack")
@click.argument("assignments", nargs=-1, metavar="[ASSIGNMENT]...")
@in_course
def lint(assignments: tuple[str, ...], course: Path | None) -> int:
    """Name each missing piece of the assignments in one line; without arguments, of all in source/.

    The solution, each mistake and each variant are tried, in this process. Exit status 1: something
    is missing.
    """
    os.environ.setdefault("MPLBACKEND", "agg")  # no cell opens a window
    from autograder.authoring.edited import find_source, sources
    from autograder.authoring.lint import missing_pieces
    from autograder.engine.course import find_course

    where = find_course(course)
    names = assignments or sources(where)
    found = 0
    for assignment in [find_source(name, where) for name in names]:
        for piece in missing_pieces(assignment):
            terminal.say(f"{assignment.id}: {piece}")
            found += 1
    if not found:
        terminal.say(
            f"Nothing is missing in {', '.join(names) or 'this course: it has no assignment'}."
        )
    return FAILED if found else OK
