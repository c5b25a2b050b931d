"""`--version`: what a report of a fault, or a paper, has to say of this installation."""

import platform
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version

import click

from autograder.report import terminal

SHOWN = "torch", "nbgrader"  # points depend on the one, the gradebook on the other


def version_option(group: Callable) -> Callable:
    """Give the command line `--version`. No package is imported for it."""
    option = click.option(
        "--version",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_say_version,
        help="say which version this is, and of Python, torch and nbgrader",
    )
    return option(group)


def _say_version(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        terminal.say(*_lines())
        context.exit()


def _lines() -> Iterator[str]:
    yield f"autograder {installed_version('autograder')}"
    yield f"Python {platform.python_version()} on {platform.system()} ({platform.machine()})"
    yield from (f"{name} {installed_version(name)}" for name in SHOWN)


def installed_version(package: str) -> str:
    """The version of an installed package, from its metadata alone; else the words for none."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "is not installed"
