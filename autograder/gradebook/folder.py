"""Courses: folders with nbgrader's configuration. Which one is meant, and how to make another."""

from pathlib import Path

from autograder.assignment import ROOT

CONFIG = "nbgrader_config.py"
OF_ITS_OWN = """# A course of its own, graded as the project says.
load_subconfig("nbgrader_config.py", path={root!r})
c = get_config()
c.CourseDirectory.root = {folder!r}
c.CourseDirectory.source_directory = {source!r}
"""


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


def make_course(folder: Path, more: str = "") -> Path:
    """Make a course with a gradebook of its own, and `more` in its configuration; return it."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = {"root": str(ROOT), "folder": str(folder), "source": str(ROOT / "source")}
    (folder / CONFIG).write_text(OF_ITS_OWN.format(**paths) + more)
    return folder
