"""`lab`: open JupyterLab in the course, with nbgrader's formgrader."""

import os
import sys
from pathlib import Path

import click

from autograder.cli.exit_status import OK, Command
from autograder.cli.options import in_course
from autograder.engine.course.course import find_course


@click.command("lab", cls=Command, statuses={OK: "it was ended"})
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[-- OPTION...]")
@in_course
def lab(words: tuple[str, ...], course: Path | None) -> None:
    """Open JupyterLab in the course's folder; formgrader is in its menu Nbgrader. Each OPTION is one
    of JupyterLab's, such as --no-browser or --port=8889.
    """
    os.chdir(find_course(course).root)  # where nbgrader looks for its configuration
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    command = [sys.executable, "-m", "jupyterlab", *words]
    os.execve(sys.executable, command, os.environ | {"PATH": programs})
