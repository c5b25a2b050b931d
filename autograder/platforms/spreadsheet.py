"""Two tables for people: one row for each student, one row for each check of an exercise.

No spreadsheet runs a cell of them as a formula, whatever a student wrote into it. A spreadsheet
takes a text for a formula by its first character. An apostrophe before it, as OWASP advises, makes
it a text again; also after a semicolon, a tab or the end of a line, where a spreadsheet of another
country begins a new cell.
"""

import csv
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

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

_SKIPPED = "\\s\\x00-\\x1f\\x7f\\u00ad\\u200b-\\u200f\\u2028-\\u202f\\u2060-\\u206f\\ufeff"
_TRIGGERS = "=+\\-@\\u2212\\uff1d\\uff0b\\uff0d\\uff20\\ufe66\\ufe62\\ufe63\\ufe6b\\u207a\\u207b"
_BEGINS = f"[{_SKIPPED}']*[{_TRIGGERS}]"
_CONTROL = r"'*[\t\r\n\x00]"
_BORDER = r"(?:\A|(?<=[;\t\r\n]))"
_DANGER = re.compile(f"{_BORDER}(?={_BEGINS})|\\A(?={_CONTROL})")


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
        table = csv.writer(file, lineterminator="\r\n")
        table.writerow(header)
        table.writerows([safe_cell(cell) for cell in row] for row in rows)


def escape_formulas(text: str) -> str:
    """Return the text with an apostrophe wherever a formula could begin."""
    return _DANGER.sub("'", text)


def safe_cell(value: str | float | bool | None) -> str | float:
    """Return a cell: text without formulas, numbers as they are, "yes" or "no", "" for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return escape_formulas(value) if isinstance(value, str) else value
