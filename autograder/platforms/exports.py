"""Records of exports: time, platform and exported data. They show which grades have changed since."""

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
    """An export. `grades`: number of grades. `sheet`, `column`: the platform's table that was
    filled in, and its column, or "". `sent`: digest of the exported data of each student.
    """

    format: str
    exported_at: datetime
    grades: int
    paths: list[str]
    sheet: str = ""
    column: str = ""
    sent: dict[str, str] = {}

    def changed(self, grades: Iterable[Grade]) -> list[str]:
        """Return the students with different data now."""
        now = sent_digests(grades)
        return sorted(
            student for student in now | self.sent if now.get(student) != self.sent.get(student)
        )


def record_export(
    results: Path,
    assignment_id: str,
    format: str,
    grades: Sequence[Grade],
    paths: Iterable[Path],
    sheet: Path | None = None,
    column: str | None = None,
) -> None:
    """Record an export. `results`: the folder of all results. `sheet`: the platform's table that
    was filled in. `column`: its column. Raises `AutograderError` if the records cannot be used.
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
    """Return the last export to each platform, sorted by platform.

    `results`: the folder of all results. Raises `AutograderError` if the records cannot be used.
    """
    last = {record.format: record for record in read_records(results, assignment_id, ExportRecord)}
    return [last[name] for name in sorted(last)]


def sent_since(
    results: Path, assignment_id: str, format: str, sheet: Path, grades: Iterable[Grade]
) -> set[str]:
    """Return the students with different data in an export after the platform's sheet was
    downloaded. The platform may have other grades for them than the sheet.

    `results`: the folder of all results. `grades`: all current grades. Raises `AutograderError` if
    the records cannot be used, `OSError` if the sheet cannot be read.
    """
    if not sheet.is_file():  # reading it reports the error
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
    """Return a digest of each student's data: points, maximum, marks, comments and submission."""
    return {
        grade.student: files.digest_of(
            *(str(grade.total), str(grade.max_points)),
            *(grade.verdict.stamp.submission, grade.verdict.stamp.grader),
            grade.mark.digest if grade.mark else "",
        )
        for grade in grades
    }
