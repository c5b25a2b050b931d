"""The export format `csv`: a table with a row for each student, and a table with a row for each
check of an exercise.

A student's text is on a single line of a cell, and spreadsheet programs never run it as a formula.
"""

from collections.abc import Iterable, Sequence

from autograder.engine import files, verdicts
from autograder.gradebook.grades import Grade
from autograder.platforms.platform import ClassGrades, Format, Platform

STUDENTS = [
    "student",
    "name",
    "state",
    "automatic",
    "by_hand",
    "late_penalty",
    "total",
    "max_points",
    "to_mark_by_hand",
    "submitted",
    "reason",
]
CHECKS = [
    "student",
    "exercise",
    "state",
    "points",
    "max_points",
    "check",
    "passed",
    "check_points",
    "check_max_points",
    "mistakes",
    "sentences",
    "message",
]


def _part(grade: Grade, of_class: ClassGrades) -> tuple[list, list[list]]:
    """Return the student's row for the table of students, and rows for the table of checks."""
    results = grade.verdict.exercises
    checks = [[grade.student, *row] for result in results for row in _check_rows(result)]
    return _student_row(grade), checks


def _write(of_class: ClassGrades) -> tuple[list[bytes], list[str]]:
    parts = of_class.parts.values()
    students = [student for student, _ in parts]
    checks = [row for _, rows in parts for row in rows]
    return [table_bytes(STUDENTS, students), table_bytes(CHECKS, checks)], []


def _student_row(grade: Grade) -> list:
    """Return the student's row. Unknown numbers are None, not 0."""
    verdict, mark = grade.verdict, grade.mark
    return [
        grade.student,
        grade.person.name,
        verdict.state,
        verdict.points if verdict.state == "graded" else None,
        mark.by_hand if mark else None,
        mark.penalty if mark else None,
        grade.total,
        grade.max_points,
        mark.waiting if mark else None,
        grade.submitted,
        grade.no_grade or None,
    ]


def _check_rows(result: verdicts.ExerciseResult) -> Iterable[list]:
    """Yield a row for each check of an exercise, or a single row if no check was run."""
    head = [result.id, result.state, result.points, result.max_points]
    ids = "; ".join(mistake.id for mistake in result.mistakes)
    sentences = " ".join(mistake.sentence for mistake in result.mistakes)
    if not result.checks:
        yield [*head, None, None, None, None, ids, sentences, None]
    for check in result.checks:
        points = [check.points, check.max_points]
        yield [*head, check.id, check.passed, *points, ids, sentences, check.message]


def table_bytes(header: Sequence[str], rows: Iterable[Sequence]) -> bytes:
    """Return a table as the bytes of a CSV file (RFC 4180), with formulas escaped."""
    return files.csv_text([header, *rows]).encode("utf-8", "backslashreplace")


RECORD = Platform(
    "csv",
    format=Format(
        files=("students.csv", "checks.csv"),
        part=_part,
        write=_write,
        is_ours=lambda header: header in (STUDENTS, CHECKS),
        manual=("tables for a spreadsheet", ""),
    ),
)
