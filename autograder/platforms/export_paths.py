"""Choose the paths of the files that an export writes: in results/<assignment>/export/, or the
place named by `--out`.

At `--out`, only files of an earlier export are overwritten.
"""

import csv
import zipfile
from pathlib import Path

from autograder.files.csv_text import delimiter_of
from autograder.platforms.feedback import FIRST_DAY
from autograder.platforms.registry import formats
from autograder.text.errors import CommandError

FOLDER = "export"
SUFFIXES = (".csv", ".zip", ".json", ".html", ".xlsx", ".xls", ".ods", ".txt", ".ipynb", ".db")


def export_paths(format: str, out: Path | None, folder: Path, sheet: Path | None) -> list[Path]:
    """Return the paths of the files to write for the platform `format`.

    `out`: the file or folder named by `--out`, or None. `folder`: the assignment's folder of
    results, in which the files are put without `out`. `sheet`: the downloaded table, or None.
    Raises `CommandError` if a path is the downloaded table or a folder; with `out`, also if a path
    is a file that no earlier export wrote.
    """
    paths = _paths(format, out, folder)
    if sheet and sheet.resolve() in [path.resolve() for path in paths]:
        raise CommandError(f"`{sheet}` is what you downloaded: name another place with --out.")
    for path in paths:
        if (out and path.is_file() and not _is_export(path)) or path.is_dir():
            raise CommandError(f"`{path}` is there, and no earlier export: name another --out.")
    return paths


def _paths(format: str, out: Path | None, folder: Path) -> list[Path]:
    names = formats()[format].files
    first, *others = map(Path, names)
    if out is None:
        return [folder / FOLDER / name for name in names]
    if out.is_dir() or out.suffix.lower() not in SUFFIXES:
        return [out / name for name in names]
    if out.suffix.lower() != first.suffix:
        raise CommandError(f"`{out}`: {format} makes a {first.suffix} file; name one, or a folder.")
    beside = [name.name.removeprefix(f"{first.stem}-") for name in others]
    return [out, *(out.with_name(f"{out.stem}-{name}") for name in beside)]


def _is_export(path: Path) -> bool:
    """Whether a file looks like one that an earlier export wrote: by the header of a table, or by
    the times of a zip's members. An empty file counts as one.
    """
    if path.stat().st_size == 0:
        return True
    if path.suffix.lower() == ".zip":
        try:
            with zipfile.ZipFile(path) as archive:
                return all(member.date_time == FIRST_DAY for member in archive.infolist())
        except zipfile.BadZipFile:
            return False
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        line = file.readline()
    header = next(csv.reader([line], delimiter=delimiter_of(line)), [])
    return any(one.is_ours(header) for one in formats().values())
