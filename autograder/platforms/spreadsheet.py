"""Two tables for people: one row a student, one row an exercise and check."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from autograder.platforms.spreadsheet import safe
from autograder.platforms.grades import Grade
from autograder.files import replacing
from autograder.engine.verdict import ExerciseResult

STUDENTS = [
    *("student", "name", "state", "automatic", "by_hand", "late_penalty", "total", "max_points"),
    *("to_mark_by_hand", "submitted", "reason"),
]
CHECKS = [
    *("student", "exercise", "state", "points", "max_points", "check", "passed"),
    *("check_points", "check_max_points", "mistakes", "sentences", "message"),
]


def student_rows(grades: Sequence[Grade]) -> list[list]:
    """Points that are not known stay empty: automatic ones of what was not graded, too."""
    rows = []
    for grade in grades:
        verdict, mark = grade.verdict, grade.mark
        automatic = verdict.points if verdict.state == "graded" else None
        by_hand = (mark.by_hand, mark.penalty) if mark else (None, None)
        waiting = mark.waiting if mark else None
        rows.append(
            [
                *(grade.student, grade.person.name, verdict.state, automatic, *by_hand),
                *(grade.total, grade.max_points, waiting, grade.submitted, grade.no_grade or None),
            ]
        )
    return rows


def check_rows(grades: Sequence[Grade]) -> list[list]:
    """An exercise that came to no check has one row, with the check empty."""
    return [
        [grade.student, *row]
        for grade in grades
        for result in grade.verdict.exercises
        for row in _rows(result)
    ]


def _rows(result: ExerciseResult) -> Iterable[list]:
    head = [result.id, result.state, result.points, result.max_points]
    ids = "; ".join(mistake.id for mistake in result.mistakes)
    said = " ".join(mistake.sentence for mistake in result.mistakes)
    if not result.checks:
        yield [*head, *[None] * 4, ids, said, None]
    for check in result.checks:
        yield [
            *head,
            check.id,
            check.passed,
            check.points,
            check.max_points,
            ids,
            said,
            check.message,
        ]


def write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence]) -> None:
    """Write as RFC 4180 has it, safe to open in a spreadsheet. Raises `OSError`."""
    with replacing(path) as file:
        table = csv.writer(file, lineterminator="\r\n")
        table.writerow(header)
        table.writerows([safe(cell) for cell in row] for row in rows)
