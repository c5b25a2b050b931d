"""The record of exports: a line of JSON for each, which says when grades went out and where to, and
tells whether they have changed since.

    results/<assignment>/export/exports.jsonl
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from autograder.files.digest import digest_of
from autograder.files.json_lines import add_record, read_records
from autograder.platforms.grades import Grade

FOLDER = "export"
EXPORTS = Path(FOLDER, "exports.jsonl")


class ExportRecord(Struct, frozen=True):
    """One export: the platform, when the files were written, how many grades are in them, a digest
    of all grades, the paths of the files, and the platform's sheet that was filled in, with the
    column that was named ("" without them).
    """

    format: str
    exported_at: datetime
    grades: int
    digest: str
    paths: list[str]
    sheet: str = ""
    column: str = ""


def record_export(
    folder: Path,
    format: str,
    grades: Sequence[Grade],
    paths: Iterable[Path],
    sheet: Path | None = None,
    column: str | None = None,
) -> None:
    """Add a record of an export that has just been written. `folder`: the assignment's folder of
    results; `sheet`: the platform's sheet that was filled in, `column`: the column of it that was
    named. Raises `OSError`.
    """
    record = ExportRecord(
        format,
        datetime.now(UTC),
        sum(grade.total is not None for grade in grades),
        grades_digest(grades),
        [str(path.absolute()) for path in paths],
        str(sheet.absolute()) if sheet else "",
        column or "",
    )
    add_record(folder / EXPORTS, record)


def last_exports(folder: Path) -> list[ExportRecord]:
    """Return the last export to each platform, by the platform's name; [] without any.

    `folder`: the assignment's folder of results, below which no link is followed. Raises `OSError`
    if the record cannot be read.
    """
    last = {one.format: one for one in read_records(folder / EXPORTS, ExportRecord, folder)}
    return [last[name] for name in sorted(last)]


def grades_digest(grades: Iterable[Grade]) -> str:
    """Return a digest of these grades: who has how many points, of how many."""
    return digest_of(sorted([one.student, str(one.total), str(one.max_points)] for one in grades))
