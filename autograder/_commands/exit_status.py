"""Exit statuses of commands, their help text, and the output of error messages."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from autograder._commands import terminal
from autograder.engine import AutograderError, files, texts

OK = 0  # every submission has a verdict
UNMATCHED = 3  # some submissions match no student
STOPPED = 130  # by Ctrl-C
FAILED, NOT_GRADED, USAGE = texts.FAILED, texts.NOT_GRADED, texts.USAGE
WORST_LAST = OK, NOT_GRADED, FAILED, USAGE
OF_ALL = {USAGE: "wrong usage", STOPPED: "stopped by Ctrl-C"}


class Command(click.Command):
    """A click command with its exit statuses in `--help`. `statuses`: meanings by number."""

    def __init__(self, *arguments: Any, statuses: Mapping[int, str], **options: Any):
        super().__init__(*arguments, **options)
        self.statuses = dict(sorted((OF_ALL | dict(statuses)).items()))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Only the course's teachers can read its files."""
        with files.only_for(group=_is_shared(ctx.params.get("course"))):
            return super().invoke(ctx)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        with formatter.section("Exit status"):
            formatter.write_dl(
                [(str(status), meaning) for status, meaning in self.statuses.items()]
            )


def _is_shared(course: Path | None) -> bool:
    """Whether several teachers share the course. False without a course."""
    from autograder.engine import find_course  # not for --help

    try:
        return find_course(course).is_shared
    except AutograderError:
        return False


def worst(statuses: Iterable[int]) -> int:
    """Return the most severe exit status: wrong usage, failure to write, not graded, success."""
    return max(statuses, key=WORST_LAST.index, default=OK)


def describe_os_error(error: OSError) -> str:
    """Return the file of a failed operation, if the error names it, and the system's reason."""
    return f"`{error.filename}`: {error.strerror}" if error.filename else str(error)


def refuse(message: str, status: int = texts.USAGE) -> int:
    """Print an error message to standard error, and return `status` as the exit status."""
    terminal.complain(*f"autograder: {message}".split("\n"))
    return status
