"""Which files an export writes: in results/<assignment>/export/, or where it was asked to.

Only an earlier export is ever replaced.
"""

import csv
import zipfile
from pathlib import Path

from autograder.csv_text import delimiter_of
from autograder.platforms.canvas_feedback import read_name
from autograder.platforms.errors import ExportError
from autograder.platforms.gradescope_autograder import GRADED, RUN, SETUP
from autograder.platforms.moodle import GRADE, IDENTIFIER
from autograder.platforms.spreadsheet import CHECKS, STUDENTS
from autograder.platforms.zip_file import FIRST_DAY

FOLDER = "export"
NAMES = {
    "csv": ("students.csv", "checks.csv"),
    "canvas": ("canvas.csv", "canvas-feedback.zip"),
    "moodle": ("moodle.csv", "moodle-feedback.zip"),
    "gradescope": ("gradescope.zip", "autograder.zip"),
    "ilias": ("ilias-feedback.zip",),
}
SECOND_NAME = {  # beside a file that was named
    "csv": "-checks.csv",
    "canvas": "-feedback.zip",
    "moodle": "-feedback.zip",
    "gradescope": "-autograder.zip",
}
SUFFIXES = (".csv", ".zip", ".json", ".html", ".xlsx", ".xls", ".ods", ".txt", ".ipynb", ".db")


def export_paths(format: str, out: Path | None, folder: Path, sheet: Path | None) -> list[Path]:
    """Return the files to write. Raises `ExportError` where something else is in the way.

    `out` is a file or a folder that was named, `folder` that of the results.
    """
    paths = _paths(format, out, folder)
    if sheet and sheet.resolve() in [path.resolve() for path in paths]:
        raise ExportError(f"`{sheet}` is what you downloaded: name another place with --out.")
    for path in paths:
        if (out and path.is_file() and not _is_export(path)) or path.is_dir():
            raise ExportError(f"`{path}` is there, and no earlier export: name another --out.")
    return paths


def _paths(format: str, out: Path | None, folder: Path) -> list[Path]:
    first, *others = NAMES[format]
    suffix = Path(first).suffix
    if out is None:
        return [folder / FOLDER / name for name in NAMES[format]]
    if out.is_dir() or out.suffix.lower() not in SUFFIXES:
        return [out / name for name in NAMES[format]]
    if out.suffix.lower() != suffix:
        raise ExportError(f"`{out}`: {format} makes a {suffix} file; name one, or a folder.")
    return [out, *(out.with_name(out.stem + SECOND_NAME[format]) for _ in others)]


def _is_feedback(member: zipfile.ZipInfo) -> bool:
    """Whether a file in a zip is one that an export writes for one student.

    What Canvas hands out is called the same, but has the time of the download.
    """
    ours = member.filename.endswith(("/results.json", "/feedback.html"))
    return ours or (member.date_time == FIRST_DAY and read_name(member.filename) is not None)


def _is_export(path: Path) -> bool:
    """Whether a file looks like one of ours: its header, or what is in the zip."""
    if path.stat().st_size == 0:
        return True
    if path.suffix.lower() == ".zip":
        try:
            with zipfile.ZipFile(path) as archive:
                members = archive.infolist()
                names = {member.filename for member in members}
                return names == {RUN, SETUP, GRADED} or all(map(_is_feedback, members))
        except zipfile.BadZipFile:
            return False
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        line = file.readline()
    header = next(csv.reader([line], delimiter=delimiter_of(line)), [])
    return (
        header in (STUDENTS, CHECKS)
        or {"Student", "ID"} <= set(header)
        or {"LastName", "ID"} <= set(header)
        or (bool({*IDENTIFIER} & set(header)) and bool({*GRADE} & set(header)))
    )
