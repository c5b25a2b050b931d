"""Choose the sandbox of a run. Grading without a sandbox needs the user's consent."""

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
    """Options of a command that runs students' code."""

    @property
    def sandbox(self) -> str: ...
    @property
    def unprotected(self) -> bool: ...
    @property
    def scheduler(self) -> str | None: ...


def sandbox_options(command: Callable) -> Callable:
    """Add `--sandbox` and the option for consent, with parameters `sandbox` and `unprotected`."""
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
    """Return the level of the sandbox for a run (REQUIRE for every walled level), and the reason
    for a missing sandbox ("" if there is a sandbox, or if the user switched it off).

    `count`: number of submissions to grade, None if unknown. Raises `AutograderError` if there
    will be no sandbox and the user does not consent.
    """
    level, reason = options.sandbox, ""
    if options.sandbox == "auto":
        from autograder.engine import grading  # imports torch

        level, reason = grading.best_walls(course)
        level = limits.REQUIRE if level in limits.WALLED else level
    elif options.sandbox == "off":
        level = limits.PRACTICE
    if level == limits.PRACTICE and count != 0 and not options.unprotected:
        _refuse_unless_allowed(count, reason, on_workers=options.scheduler is not None)
    return level, reason


def _refuse_unless_allowed(count: int | None, reason: str, on_workers: bool) -> None:
    """Raise `AutograderError` unless the user consents to grading without a sandbox."""
    danger = DANGER.format(**(OF_WORKERS if on_workers else YOURS))
    if reason:
        danger = f"There are no walls here ({reason.rstrip('.')}). {danger}"
    if not terminal.is_there_to_answer():
        raise AutograderError(f"{danger}; whoever wants that adds {OPTION}.")
    terminal.say(f"{danger}.")
    amount = "whatever arrives" if count is None else plural(count, "submission")
    if not terminal.ask(f"Grade {amount} without walls?"):
        raise AutograderError("Nothing was graded: `--sandbox require` grades behind walls.")
