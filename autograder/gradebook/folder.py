"""Which course is meant: a folder with nbgrader's configuration."""

from pathlib import Path

from autograder.assignment import ROOT

CONFIG = "nbgrader_config.py"


class NoCourse(Exception):
    """The course or its gradebook cannot be used; the message says so."""


def course_folder(named: Path | None) -> Path:
    """Return the course that was named, else this folder if it is one, else the project's own.

    Raises `NoCourse`.
    """
    if named and not (named / CONFIG).is_file():
        raise NoCourse(f"`{named}` is no nbgrader course: it has no {CONFIG}.")
    here = Path.cwd()
    return (named or (here if (here / CONFIG).is_file() else ROOT)).absolute()
