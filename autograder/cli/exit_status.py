"""Exit statuses of the command line, how a command's help lists them, and how wrong usage is said."""

from collections.abc import Iterable, Mapping
from typing import Any

import click

from autograder.report import terminal
from autograder.text.errors import FAILED, NOT_GRADED, USAGE

OK = 0  # every submission has a verdict
NOT_PLACED = 3  # some of what was handed in has no place among the submissions
STOPPED = 130  # by Ctrl-C
WORST_LAST = OK, NOT_GRADED, FAILED, USAGE
OF_ALL = {USAGE: "wrong usage", STOPPED: "stopped by Ctrl-C"}


class Command(click.Command):
    """A command whose help ends with what each of its exit statuses means."""

    def __init__(self, *arguments: Any, statuses: Mapping[int, str], **options: Any):
        super().__init__(*arguments, **options)
        self.statuses = dict(sorted((OF_ALL | dict(statuses)).items()))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        with formatter.section("Exit status"):
            formatter.write_dl([(str(status), what) for status, what in self.statuses.items()])


def worst(statuses: Iterable[int]) -> int:
    """Return the status that tells most: what could not be written goes before what is to be done again."""
    return max(statuses, key=WORST_LAST.index, default=OK)


def refuse(message: str, status: int = USAGE) -> int:
    """Say in one line what is wrong, and what more there is, a line each; return the status."""
    terminal.complain(*f"autograder: {message}".split("\n"))
    return status
