"""Choose the sandbox of a run. To run without one, the user has to consent: to a question, or by an
option.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import click

from autograder._commands import terminal
from autograder.engine import AutograderError, Course, limits, plural

OPTION = "--yes-run-untrusted-code-unprotected"
DANGER = (
    "Without walls, a student's code runs with {rights}: it can read, change and delete {files}, "
    "send them anywhere, and see the hidden graders"
)
YOURS = {"rights": "your rights", "files": "your files"}
OF_WORKERS = {"rights": "the rights of whoever started the workers", "files": "their files"}


class SandboxOptions(Protocol):
    """The options of a command that runs students' code."""

    @property
    def sandbox(self) -> str: ...
    @property
    def unprotected(self) -> bool: ...
    @property
    def scheduler(self) -> str | None: ...


def sandbox_options(command: Callable) -> Callable:
    """Add to a click command the option `--sandbox`, and the one by which the user consents
    beforehand to grading without a sandbox; their parameters are `sandbox` and `unprotected`.
    """
    say_yes = "without walls, do not ask: students' code may do whatever you may do"
    sandbox = click.option(
        "--sandbox",
        type=click.Choice((limits.REQUIRE, limits.NAMESPACES, "auto", "off")),
        default=limits.REQUIRE,
        help="require: walls of namespaces, else of Landlock, else no grades; namespaces: these or no "
        "grades; auto: the best there is; off: none, practice only. Without walls it asks first",
    )
    return sandbox(click.option(OPTION, "unprotected", is_flag=True, help=say_yes)(command))


def sandbox_level(options: SandboxOptions, course: Course, count: int | None) -> tuple[str, str]:
    """Return the level of the sandbox for a run (REQUIRE for any that has walls), and why there is
    no sandbox ("" if there is one, or if the user wants none).

    `options`: of the command; `count`: how many submissions will be graded, None if nobody knows.
    Raises `AutograderError` if there will be no sandbox and the user does not consent.
    """
    level, why = options.sandbox, ""
    if options.sandbox == "auto":
        from autograder.engine import grading  # imports torch

        level, why = grading.best_walls(course)
        level = limits.REQUIRE if level in limits.WALLED else level
    elif options.sandbox == "off":
        level = limits.PRACTICE
    if level == limits.PRACTICE and count != 0 and not options.unprotected:
        _refuse_unless_allowed(count, why, on_workers=options.scheduler is not None)
    return level, why


def _refuse_unless_allowed(count: int | None, why: str, on_workers: bool) -> None:
    """Ask the user whether `count` submissions (None: all that arrive) may be graded without a
    sandbox; raise `AutograderError` if not, or if nobody is there to answer.

    `why`: why there is no sandbox; `on_workers`: whether they are graded on a cluster's workers.
    """
    danger = DANGER.format(**(OF_WORKERS if on_workers else YOURS))
    if why:
        danger = f"There are no walls here ({why.rstrip('.')}). {danger}"
    if not terminal.is_there_to_answer():
        raise AutograderError(f"{danger}; whoever wants that adds {OPTION}.")
    terminal.say(f"{danger}.")
    what = "whatever arrives" if count is None else plural(count, "submission")
    if not terminal.ask(f"Grade {what} without walls?"):
        raise AutograderError("Nothing was graded: `--sandbox require` grades behind walls.")
