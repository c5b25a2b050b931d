"""Check a submission's files before nbgrader opens any: only regular files, of limited size and
number.
"""

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

    `top`: the folder of all submissions, which may be a link; nothing below it may. Raises
    `AutograderError` if the folder holds or is reached through a link or a special file, cannot be read, or
    is too large or too deep.
    """
    found = []
    try:
        for parts, entry in files.walk(folder, top, MAX_DEPTH):
            found.append("/".join(parts))
            name = printable(found[-1])
            if entry.kind != "file":
                what = (
                    "a folder too deep" if entry.kind == "folder" else "a link, a pipe or a device"
                )
                _refuse(student, f"`{name}` is {what}", f"Remove `{name}`")
            if entry.size > (notebooks.MAX_BYTES if entry.name.endswith(".ipynb") else MAX_FILE):
                _refuse(student, f"`{name}` has {entry.size >> 20} MiB", f"Remove `{name}`")
            if len(found) > MAX_FILES:
                _refuse(student, f"there are more than {MAX_FILES} files", "Remove some")
    except files.NotRegular as error:
        raise AutograderError(
            f"{student} is left out: {error}. Put the files themselves there."
        ) from error
    except OSError as error:
        why = f"`{folder.name}` cannot be looked into ({error.strerror})"
        raise AutograderError(f"{student} is left out: {why}. Make it readable.") from error
    return found


def check_notebooks(student: str, notebooks: list[str], wanted: list[str]) -> None:
    """Raise `AutograderError` if none of the `wanted` names is among `notebooks`, the names of the
    student's; an empty `wanted` is never refused.
    """
    if wanted and not {*notebooks} & {*wanted}:
        raise AutograderError(
            f"{student} is left out: there is no `{wanted[0]}`. "
            "Rename the notebook, and run this again."
        )


def chosen_notebook(folder: Path, assignment_id: str, top: Path) -> Path:
    """Return the path of the notebook to grade in a submission's folder: the only one there,
    whatever its name, else `<assignment>.ipynb`, even if that is not among them. Hidden files do not
    count.

    `top`: the folder below which no link is followed. Of a folder that cannot be read, reading the
    notebook will say why.
    """
    names = []
    with suppress(OSError):
        names = [
            one.name
            for one in files.entries(folder, top)
            if one.kind != "folder" and one.name.lower().endswith(".ipynb") and one.name[0] != "."
        ]
    return folder / (names[0] if len(names) == 1 else f"{assignment_id}.ipynb")


def time_in(folder: str | Path, log: Logger) -> datetime | None:
    """Return the time in the submission folder's `timestamp.txt`; None if there is no such file. If
    it cannot be read, log a warning and return None.
    """
    folder = Path(os.path.normpath(folder))
    try:
        return submitted_at(folder, folder.parents[1])
    except AutograderError as error:
        log.warning("%s Taken as handed in without a time.", error)
        return None


def _refuse(student: str, why: str, what_to_do: str) -> None:
    """Raise `AutograderError` with a sentence of these parts."""
    raise AutograderError(f"{student} is left out: {why}. {what_to_do}, and run this again.")
