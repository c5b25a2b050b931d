"""Whether students' code may run without walls: somebody has to say so, on a terminal or by an option."""

from collections.abc import Callable

import click

from autograder.report import terminal
from autograder.text.errors import CommandError
from autograder.text.wording import plural

OPTION = "--yes-run-untrusted-code-unprotected"
DANGER = (
    "Without walls, a student's code runs with {rights}: it can read, change and delete {files}, "
    "send them anywhere, and see the hidden graders"
)
YOURS = {"rights": "your rights", "files": "your files"}
OF_WORKERS = {"rights": "the rights of whoever started the workers", "files": "their files"}


class NotAllowed(CommandError):
    """Nobody said that students' code may run without walls; the message says what to do."""


def unprotected_option(command: Callable) -> Callable:
    """Give a command the option by which somebody agrees beforehand, as `unprotected`."""
    say_yes = "without walls, do not ask: students' code may do whatever you may do"
    return click.option(OPTION, "unprotected", is_flag=True, help=say_yes)(command)


def refuse_unless_allowed(count: int | None, why: str, on_workers: bool) -> None:
    """Ask whether this many submissions may be graded without walls, None for all that will arrive.

    Raises `NotAllowed`.

    `why` says why there are no walls, where the best were asked for.
    """
    danger = DANGER.format(**(OF_WORKERS if on_workers else YOURS))
    if why:
        danger = f"There are no walls here ({why.rstrip('.')}). {danger}"
    if not terminal.is_there_to_answer():
        raise NotAllowed(f"{danger}; whoever wants that adds {OPTION}.")
    terminal.say(f"{danger}.")
    what = "whatever arrives" if count is None else plural(count, "submission")
    if not terminal.ask(f"Grade {what} without walls?"):
        raise NotAllowed("Nothing was graded: `--sandbox require` grades behind walls.")
