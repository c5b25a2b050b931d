"""Where an export goes: names of ours in results/<assignment>/export/, or where it was asked to.

Nothing that is no earlier export is replaced.
"""

import csv
import zipfile
from pathlib import Path

from autograder.platforms.errors import ExportError
from autograder.platforms.moodle import GRADE, ID
from autograder.platforms.spreadsheet import CHECKS, STUDENTS

FOLDER = "export"
NAMES = {
    "csv": ("students.csv", "checks.csv"),
    "canvas": ("canvas.csv",),
    "moodle": ("moodle.csv", "moodle-feedback.zip"),
    "gradescope": ("gradescope.zip",),
}
SECOND = {"csv": "-checks.csv", "moodle": "-feedback.zip"}  # beside a file that was named
FILES = (".csv", ".zip", ".json", ".html", ".xlsx", ".xls", ".ods", ".txt", ".ipynb", ".db")


def places(format: str, out: Path | None, folder: Path, sheet: Path | None) -> list[Path]:
    """Return the files to write. Raises `ExportError`."""
    found = _places(format, out, folder)
    if sheet and sheet.resolve() in [path.resolve() for path in found]:
        raise ExportError(f"`{sheet}` is what you downloaded: name another place with --out.")
    for path in found:
        if out and path.is_file() and not _is_export(path):
            raise ExportError(f"`{path}` is there, and no earlier export: name another --out.")
    return found


def _places(format: str, out: Path | None, folder: Path) -> list[Path]:
    first, *others = NAMES[format]
    kind = Path(first).suffix
    if out is None:
        return [folder / FOLDER / name for name in NAMES[format]]
    if out.is_dir() or out.suffix.lower() not in FILES:
        return [out / name for name in NAMES[format]]
    if out.suffix.lower() != kind:
        raise ExportError(f"`{out}`: {format} makes a {kind} file; name one, or a folder.")
    return [out, *(out.with_name(out.stem + SECOND[format]) for _ in others)]


def _is_export(path: Path) -> bool:
    """Whether a file looks like one of ours: its header, or what is in the zip."""
    if path.stat().st_size == 0:
        return True
    if path.suffix.lower() == ".zip":
        try:
            with zipfile.ZipFile(path) as archive:
                return all(
                    name.endswith(("/results.json", "/feedback.html"))
                    for name in archive.namelist()
                )
        except zipfile.BadZipFile:
            return False
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        line = file.readline()
    header = next(csv.reader([line], delimiter=max(",;\t", key=line.count)), [])
    return (
        header in (STUDENTS, CHECKS)
        or {"Student", "ID"} <= set(header)
        or {"LastName", "ID"} <= set(header)
        or (bool({*ID} & set(header)) and bool({*GRADE} & set(header)))
    )
