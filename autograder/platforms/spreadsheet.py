"""Two tables for people: one row for each student, one row for each check of an exercise.

Whatever a student wrote, a cell of them is one line, and no spreadsheet runs it as a formula.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from autograder.csv_text import csv_text
from autograder.engine.verdict import ExerciseResult
from autograder.files import replacing
from autograder.platforms.grades import Grade

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


def student_rows(grades: Sequence[Grade]) -> list[list]:
    """Return the rows of STUDENTS. Points that are not known stay empty, and are never 0."""
    return [_student_row(grade) for grade in grades]


def _student_row(grade: Grade) -> list:
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


def check_rows(grades: Sequence[Grade]) -> list[list]:
    """Return the rows of CHECKS. An exercise that came to no check has one, with the check empty."""
    return [
        [grade.student, *row]
        for grade in grades
        for result in grade.verdict.exercises
        for row in _check_rows(result)
    ]


def _check_rows(result: ExerciseResult) -> Iterable[list]:
    head = [result.id, result.state, result.points, result.max_points]
    ids = "; ".join(mistake.id for mistake in result.mistakes)
    sentences = " ".join(mistake.sentence for mistake in result.mistakes)
    if not result.checks:
        yield [*head, None, None, None, None, ids, sentences, None]
    for check in result.checks:
        points = [check.points, check.max_points]
        yield [*head, check.id, check.passed, *points, ids, sentences, check.message]


def write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence]) -> None:
    """Write as RFC 4180 has it, safe to open in a spreadsheet. Raises `OSError`."""
    with replacing(path) as file:
        file.write(csv_text([header, *rows]))
