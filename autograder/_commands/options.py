"""Shared options and arguments of several commands, and the types of their values."""

import re
from collections.abc import Callable
from pathlib import Path

import click

from autograder._commands import terminal

PATH = click.Path(path_type=Path)
MOST_TUTORS = 100


class PartOf(click.ParamType):
    """The type of an option such as `2/5`, the second of at most MOST_TUTORS parts."""

    name = "K/N"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Return the two numbers, such as (2, 5). Fail with a usage error for an invalid part."""
        match = re.fullmatch(r"([0-9]{1,3})/([0-9]{1,3})", value)
        index, count = map(int, match.groups()) if match else (0, 0)
        if not 1 <= index <= count <= MOST_TUTORS:
            self.fail(f"{value!r} is no part like 2/5, of {MOST_TUTORS} at most", param, ctx)
        return index, count


class Percent(click.ParamType):
    """The type of an option with a percentage as its value, `10%` or `10`."""

    name = "PERCENT"

    def convert(
        self, value: str | float, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the percentage, from 0 to 100, or fail with a usage error."""
        match = re.fullmatch(r"([0-9]{1,3}(?:\.[0-9]{1,2})?)%?", str(value))
        percent = float(match[1]) if match else -1
        if not 0 <= percent <= 100:
            self.fail(f"{value!r} is no share like 10%", param, ctx)
        return percent


def in_course_folder(name: str) -> Callable:
    """Return a callback of click for a command with `--course`. The default path is `name` in the
    course's folder, or in the current folder without a course. The callback raises `CourseError`
    for an invalid `--course`.
    """

    def or_default(context: click.Context, _: click.Parameter, path: Path | None) -> Path:
        from autograder.engine import CourseError, find_course  # not for --help

        try:
            return path or terminal.from_here(find_course(context.params["course"]).root / name)
        except CourseError:
            if context.params["course"]:
                raise
            return Path(name)

    return or_default


some_assignments = click.argument(
    "names", nargs=-1, metavar="[ASSIGNMENT]...", help="(all that are in source/)"
)
in_course = click.option(
    "--course",
    type=PATH,
    is_eager=True,  # before the paths that are in it
    metavar="DIR",
    help="nbgrader course (the nearest folder upwards)",
)
of_gradebook = click.option(
    "--gradebook", metavar="URL", help="database of the gradebook (the course's)"
)
in_submitted = click.argument(
    "place",
    type=PATH,
    required=False,
    callback=in_course_folder("submitted"),
    metavar="[SUBMITTED]",
    help="submissions, as `collect` sorts them, or one notebook (the course's submitted/)",
)
in_results = click.argument(
    "results",
    type=PATH,
    required=False,
    callback=in_course_folder("results"),
    metavar="[RESULTS]",
    help="where verdicts are, of all assignments or of one (the course's results/)",
)
of_results = click.option(
    "--results",
    type=PATH,
    callback=in_course_folder("results"),
    metavar="DIR",
    help="where verdicts are, and what is made of them goes (the course's results/)",
)
one_in_results = click.option(
    "--assignment", metavar="ID", help="one only (all that are in RESULTS)"
)
one_submitted = click.option(
    "--assignment", metavar="ID", help="one only (all of which there are submissions)"
)
