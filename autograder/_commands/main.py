"""`python -m autograder COMMAND`: all commands, and the output for each kind of exception."""

import os
import platform
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from importlib.metadata import PackageNotFoundError, entry_points, version
from pathlib import Path
from types import ModuleType

import click

from autograder._commands import terminal
from autograder._commands.exit_status import FAILED, OK, STOPPED, describe_os_error, refuse
from autograder.engine import AutograderError

PROGRAM = "python -m autograder"
ROOMS = "gradebook", "platforms", "authoring"  # packages with built-in commands
PLUGINS = "autograder.commands"  # entry points, each a package of commands as those of the rooms
SHOWN = "torch", "nbgrader"  # points depend on torch, the gradebook on nbgrader


def packages() -> Iterator[ModuleType]:
    """Yield the packages with commands: of the rooms, then plugins."""
    for room in ROOMS:
        yield import_module(f"autograder.{room}.commands")
    for point in entry_points(group=PLUGINS):
        with suppress(ModuleNotFoundError):  # its folder was deleted
            yield point.load()


class Commands(click.Group):
    """The group of all commands. A command's module is imported only to run it."""

    def list_commands(self, ctx: click.Context | None) -> list[str]:
        listed = [
            (position, name)
            for package in packages()
            for name, (position, _) in package.COMMANDS.items()
        ]
        return [name for _, name in sorted(listed)]

    def get_command(self, ctx: click.Context | None, cmd_name: str) -> click.Command | None:
        name = cmd_name.replace("-", "_")
        for package in packages():
            if cmd_name in package.COMMANDS:
                return getattr(import_module(f"{package.__name__}.{name}"), name)
        return None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sentences = {
            name: sentence
            for package in packages()
            for name, (_, sentence) in package.COMMANDS.items()
        }
        with formatter.section("Commands"):
            formatter.write_dl([(name, sentences[name]) for name in self.list_commands(ctx)])


def _say_version(context: click.Context, _: click.Parameter, is_given: bool) -> None:
    if is_given:
        terminal.say(*_versions())
        context.exit()


def _versions() -> Iterator[str]:
    """Yield a line for each version that a bug report, or a paper, has to state."""
    yield f"autograder {installed_version('autograder')}"
    yield f"Python {platform.python_version()} on {platform.system()} ({platform.machine()})"
    yield from (f"{name} {installed_version(name)}" for name in SHOWN)


def installed_version(package: str) -> str:
    """Return the version of an installed package, or "is not installed"."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "is not installed"


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    subcommand_metavar="COMMAND [ARGUMENTS]...",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_say_version,
    help="say which version this is, and of Python, torch and nbgrader",
)
def commands() -> None:
    """Grade notebooks: a sealed candidate, a trusted examiner."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command in `arguments` or `sys.argv`, print errors, and return the exit status."""
    words = sys.argv[1:] if arguments is None else arguments
    _ensure_home()
    try:
        with commands.make_context(PROGRAM, list(words)) as context:
            return commands.invoke(context) or OK
    except click.exceptions.NoArgsIsHelpError:
        return refuse(f"A command is missing. See `{PROGRAM} --help`.")
    except click.exceptions.Exit as end:  # for help, or the version
        return end.exit_code
    except click.ClickException as error:
        return refuse(_usage(error))
    except AutograderError as error:
        return refuse(str(error), error.status)
    except OSError as error:
        return refuse(f"{describe_os_error(error)}. What was finished before is kept.", FAILED)
    except MemoryError:
        advice = "Close other programs, or raise `ulimit -v` and `ulimit -d`."
        return refuse(f"This process has no memory left. {advice}", FAILED)
    except KeyboardInterrupt:
        return refuse("Stopped. What was finished is kept; run again for the rest.", STOPPED)


def _ensure_home() -> None:
    """Set HOME to `/`, as Docker and OpenShift do, if it is missing and the user number has no
    name. Jupyter cannot be imported without a home folder.
    """
    try:
        Path.home()
    except RuntimeError:
        os.environ["HOME"] = "/"


def _usage(error: click.ClickException) -> str:
    words = " ".join(error.format_message().split()).rstrip(".") + "."
    context = getattr(error, "ctx", None)
    return f"{words} See `{context.command_path} --help`." if context else words
