"""Check a submission's files before nbgrader opens them: regular, few and small."""

import os
from contextlib import suppress
from datetime import datetime
from logging import Logger
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.classroom.late_files import submitted_at
from autograder.engine import AutograderError, files, notebooks, printable, verdicts

if TYPE_CHECKING:  # `grade` finds submissions without nbgrader, which takes a second
    from nbgrader.coursedir import CourseDirectory

MAX_FILE = 64 << 20  # bytes of a file beside the notebook
MAX_FILES = 2_000
MAX_DEPTH = 20  # folders in folders


def submitted_folder(folders: "CourseDirectory") -> Path:
    """Return the course's folder of all submissions, which may be a link."""
    return Path(os.path.normpath(folders.format_path(folders.submitted_directory, ".", ".")))


def check_name(student: str) -> None:
    """Raise `AutograderError` if the name of a student's folder cannot be a student's id."""
    if not verdicts.STUDENT.fullmatch(student):
        raise AutograderError(
            f"The folder {student!r} is left out: its name cannot be a student's id (letters, digits, "
            ". _ @ -, at most 64). Rename it."
        )


def check_folder(student: str, folder: Path, top: Path) -> list[str]:
    """Return the paths of all files in a submission's folder, relative to it.

    `top`: the folder of all submissions. It may be a link, but nothing below it. Raises
    `AutograderError` for a link or a special file, and if the folder is unreadable, too large or
    too deep.
    """
    paths = []
    try:
        for parts, entry in files.walk(folder, top, MAX_DEPTH):
            paths.append("/".join(parts))
            name = printable(paths[-1])
            if entry.kind != "file":
                kind = (
                    "a folder too deep" if entry.kind == "folder" else "a link, a pipe or a device"
                )
                _refuse(student, f"`{name}` is {kind}", f"Remove `{name}`")
            if entry.size > (notebooks.MAX_BYTES if entry.name.endswith(".ipynb") else MAX_FILE):
                _refuse(student, f"`{name}` has {entry.size >> 20} MiB", f"Remove `{name}`")
            if len(paths) > MAX_FILES:
                _refuse(student, f"there are more than {MAX_FILES} files", "Remove some")
    except files.NotRegular as error:
        raise AutograderError(
            f"{student} is left out: {error}. Put the files themselves there."
        ) from error
    except OSError as error:
        reason = f"`{folder.name}` cannot be looked into ({error.strerror})"
        raise AutograderError(f"{student} is left out: {reason}. Make it readable.") from error
    return paths


def check_notebooks(student: str, notebooks: list[str], expected: list[str]) -> None:
    """Raise `AutograderError` if `notebooks` lacks all `expected` names (if any)."""
    if expected and not {*notebooks} & {*expected}:
        raise AutograderError(
            f"{student} is left out: there is no `{expected[0]}`. "
            "Rename the notebook, and run this again."
        )


def chosen_notebook(folder: Path, assignment_id: str, top: Path) -> Path:
    """Return the path of the notebook to grade: the only notebook, with any name, else
    `<assignment>.ipynb`, even if it does not exist. Hidden files are ignored.

    `top`: the folder below which no link is followed.
    """
    names = []
    with suppress(OSError):  # reading the notebook reports the reason
        names = [
            entry.name
            for entry in files.entries(folder, top)
            if entry.kind != "folder"
            and entry.name.lower().endswith(".ipynb")
            and entry.name[0] != "."
        ]
    return folder / (names[0] if len(names) == 1 else f"{assignment_id}.ipynb")


def time_in(folder: str | Path, log: Logger) -> datetime | None:
    """Return the time in `timestamp.txt`, None with a warning if it is unreadable."""
    folder = Path(os.path.normpath(folder))
    try:
        return submitted_at(folder, folder.parents[1])
    except AutograderError as error:
        log.warning("%s Taken as handed in without a time.", error)
        return None


def _refuse(student: str, reason: str, remedy: str) -> None:
    raise AutograderError(f"{student} is left out: {reason}. {remedy}, and run this again.")
