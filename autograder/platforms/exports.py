"""The record of exports: a line of JSON for each, so that anybody can see when grades went out, where
to, and whether they have changed since.

    results/<assignment>/export/exports.jsonl
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from autograder.files.digest import digest_of
from autograder.files.json_lines import add_record, read_records
from autograder.platforms.export_paths import FOLDER
from autograder.platforms.grades import Grade

RECORD = "exports.jsonl"


class ExportRecord(Struct, frozen=True):
    """One export: the platform, when the files were written, how many grades are in them, a digest
    of all grades, and the paths of the files.
    """

    format: str
    exported_at: datetime
    grades: int
    digest: str
    paths: list[str]


def record_export(
    folder: Path, format: str, grades: Iterable[Grade], paths: Iterable[Path]
) -> None:
    """Add a record of an export to the file in `folder`, the assignment's folder of results. Raises
    `OSError`.
    """
    grades = list(grades)
    given = sum(grade.total is not None for grade in grades)
    places = [str(path.absolute()) for path in paths]
    digest = grades_digest(grades)
    record = ExportRecord(format, datetime.now(UTC), given, digest, places)
    add_record(folder / FOLDER / RECORD, record)


def last_exports(folder: Path) -> list[ExportRecord]:
    """Return the last export to each platform, the newest one last; [] without any.

    `folder`: the assignment's folder of results, below which no link is followed. Raises `OSError`
    if the record cannot be read.
    """
    records = read_records(folder / FOLDER / RECORD, ExportRecord, folder)
    last = {one.format: one for one in records if one.exported_at.tzinfo}
    return sorted(last.values(), key=lambda one: one.exported_at)


def grades_digest(grades: Iterable[Grade]) -> str:
    """Return a digest of these grades: who has how many points, of how many."""
    return digest_of(sorted([one.student, str(one.total), str(one.max_points)] for one in grades))
