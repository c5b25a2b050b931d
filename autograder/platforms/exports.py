"""The records of exports: when grades went out and where to. They tell whose have changed since."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from autograder.classroom.records import add_records, read_records, stored_in
from autograder.engine import files
from autograder.gradebook.grades import Grade

FOLDER = "export"


@stored_in("exports", earlier="export/exports.jsonl")
class ExportRecord(Struct, frozen=True):
    """One export: the platform, when the files were written, how many grades are in them, the paths
    of the files, the platform's sheet that was filled in, with the column that was named (""
    without them), and a digest of what was sent about each student.
    """

    format: str
    exported_at: datetime
    grades: int
    paths: list[str]
    sheet: str = ""
    column: str = ""
    sent: dict[str, str] = {}

    def changed(self, grades: Iterable[Grade]) -> list[str]:
        """Return the students about whom something else would be sent now. `grades`: all of now."""
        now = sent_digests(grades)
        return sorted(who for who in now | self.sent if now.get(who) != self.sent.get(who))


def record_export(
    results: Path,
    assignment_id: str,
    format: str,
    grades: Sequence[Grade],
    paths: Iterable[Path],
    sheet: Path | None = None,
    column: str | None = None,
) -> None:
    """Record an export that has just been written. `results`: the folder of all results; `sheet`: the
    platform's sheet that was filled in, `column`: the column of it that was named. Raises
    `AutograderError` if the records cannot be used.
    """
    record = ExportRecord(
        format,
        datetime.now(UTC),
        sum(grade.total is not None for grade in grades),
        [str(path.absolute()) for path in paths],
        str(sheet.absolute()) if sheet else "",
        column or "",
        sent_digests(grades),
    )
    add_records(results, assignment_id, [record])


def last_exports(results: Path, assignment_id: str) -> list[ExportRecord]:
    """Return the last export to each platform, by the platform's name; [] without any.

    `results`: the folder of all results. Raises `AutograderError` if the records cannot be used.
    """
    last = {one.format: one for one in read_records(results, assignment_id, ExportRecord)}
    return [last[name] for name in sorted(last)]


def sent_since(
    results: Path, assignment_id: str, format: str, sheet: Path, grades: Iterable[Grade]
) -> set[str]:
    """Return the students about whom something else than now was exported to a platform after its
    sheet had been downloaded: the platform may have another grade than the sheet.

    `results`: the folder of all results; `grades`: all of now. Raises `AutograderError` if the records
    cannot be used, `OSError` if the sheet cannot be read.
    """
    if not sheet.is_file():  # whoever reads it says so
        return set()
    downloaded = datetime.fromtimestamp(sheet.stat().st_mtime, UTC)
    grades = [*grades]
    return {
        student
        for record in read_records(results, assignment_id, ExportRecord)
        if record.format == format and record.exported_at > downloaded
        for student in record.changed(grades)
        if student in record.sent
    }


def sent_digests(grades: Iterable[Grade]) -> dict[str, str]:
    """Return a digest of what an export sends about each student: points, of how many, marks and
    comments by hand, and which submission they are for.
    """
    return {
        one.student: files.digest_of(
            *(str(one.total), str(one.max_points)),
            *(one.verdict.stamp.submission, one.verdict.stamp.grader),
            one.mark.digest if one.mark else "",
        )
        for one in grades
    }
