"""`python -m autograder COMMAND`: the commands, and how each kind of error is said in one line."""

import sys

import click

from autograder.cli.check import check
from autograder.cli.collect import collect
from autograder.cli.demo import demo
from autograder.cli.enter import enter
from autograder.cli.exit_status import FAILED, OK, STOPPED, refuse
from autograder.cli.export import export
from autograder.cli.feedback import feedback
from autograder.cli.grade import grade
from autograder.cli.lint import lint
from autograder.cli.look_alikes import look_alikes
from autograder.cli.marking import marking
from autograder.cli.matrix import matrix
from autograder.cli.new import new
from autograder.cli.release import release
from autograder.cli.report import report
from autograder.cli.sample_class import sample_class
from autograder.cli.show import show
from autograder.cli.version import version_option
from autograder.cli.visible_checks import visible_checks
from autograder.text.errors import CommandError

PROGRAM = "python -m autograder"
FOR_CLASSES = (
    *(collect, grade, enter, check, report, show, look_alikes, marking, feedback, export),
    sample_class,
)
FOR_AUTHORS = new, lint, release, matrix, visible_checks, demo


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    subcommand_metavar="COMMAND [ARGUMENTS]...",
)
@version_option
def commands() -> None:
    """Grade notebooks: a sealed candidate, a trusted examiner."""


for command in (*FOR_CLASSES, *FOR_AUTHORS):
    commands.add_command(command)


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return its exit status."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        with commands.make_context(PROGRAM, list(words)) as context:
            return commands.invoke(context) or OK
    except click.exceptions.NoArgsIsHelpError:
        return refuse(f"A command is missing. See `{PROGRAM} --help`.")
    except click.exceptions.Exit as asked:  # for help, or the version
        return asked.exit_code
    except click.ClickException as error:
        return refuse(_usage(error))
    except CommandError as error:
        return refuse(str(error), error.status)
    except OSError as error:
        what = f"`{error.filename}`: {error.strerror}" if error.filename else str(error)
        return refuse(f"{what}. What was finished before is kept.", FAILED)
    except KeyboardInterrupt:
        return refuse("Stopped. What was finished is kept; run again for the rest.", STOPPED)


def _usage(error: click.ClickException) -> str:
    """What is wrong, and where to read more, in one line."""
    words = " ".join(error.format_message().split()).rstrip(".") + "."
    context = getattr(error, "ctx", None)
    return f"{words} See `{context.command_path} --help`." if context else words
