"""`check`: report whether a saved notebook is ready to submit."""

from pathlib import Path

import click

from autograder._commands import terminal
from autograder._commands.exit_status import FAILED, OK, USAGE, Command, refuse
from autograder._commands.options import in_course
from autograder.authoring.checked_file import check_file
from autograder.engine import Unreadable, find_course, printable


@click.command(
    "check",
    cls=Command,
    statuses={
        OK: "fit to be handed in",
        FAILED: "there is something to do",
        USAGE: "FILE cannot be checked",
    },
)
@click.argument(
    "file", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE"
)
@click.option("--assignment", metavar="ID", help="of which it is (told by its cells and its name)")
@in_course
def check(file: Path, assignment: str | None, course: Path | None) -> int:
    """Say which exercises of a saved notebook are written, which cells are missing, renamed or there
    twice, and which answers are empty. Nothing hidden is used, and no code of the notebook is run:
    students run theirs with `python toolbox.py NOTEBOOK`, and `grade` runs it behind walls.
    """
    try:
        id, report = check_file(file, find_course(course), assignment)
    except Unreadable as error:
        return refuse(str(error))
    lines = [report.title, *report.text.splitlines(), "No code was run."]
    terminal.say(f"{id}:", *(printable(line, 300) for line in lines))
    return OK if report.fit else FAILED
