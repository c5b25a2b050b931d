"""Archive a course at the end of a semester in a zip, with names or without."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from autograder.desk.student_data.course_files import CourseFile
from autograder.desk.student_data.gradebook_rows import SQLITE
from autograder.desk.student_data.places import place_of
from autograder.engine import Verdict, files, verdicts
from autograder.gradebook.sync.tables import read_marks

ASSIGNMENTS = "nbgrader_config.py", "source/"  # without student data, and archived
LEFT_OUT = (
    "what people wrote, and when, says who they are: submissions and what was received, cells, "
    "feedback, comments, inquiries, look-alikes, times, rosters, tables of staff"
)
CHECKS = "student", "submission", "state", "exercise", "check", "points", "max_points", "mistakes"
MARKS = "student", "cell", "max_points", "automatic", "by_hand", "extra", "penalty"


def kind_of_file(file: CourseFile) -> tuple[str, bool]:
    """Return the kind of a file, for people, and whether it goes into an archive: assignments, and
    files that cannot be made again.
    """
    if place := place_of(file.label):
        return place.name, file.kind == "file" and not place.again
    is_kept = file.kind == "file" and file.label.startswith(ASSIGNMENTS)
    return file.label.partition("/")[0], is_kept


def kept_files(files: Iterable[CourseFile]) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the content of each file. Raises `OSError` if a file cannot be read."""
    for file in files:
        content = file.read()
        if content.startswith(SQLITE):
            # a backup by SQLite is consistent, even while formgrader writes
            with (
                closing(sqlite3.connect(file.path)) as database,
                closing(sqlite3.connect("")) as copy,
            ):
                database.backup(copy)
                content = copy.serialize()
        yield file.label, content


def tables_without_names(results: Path, gradebook: str | None) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the content of two tables for each assignment in the folder of all
    results: the checks of all verdicts, and the marks in the gradebook at this URL.

    A student has the same pseudonym in all tables, a number in the order of secret hashes, so that
    it cannot be derived from the id. Raises `AutograderError` if the gradebook cannot be used,
    `OSError`.
    """
    ids = [entry.name for entry in files.entries(results, results) if entry.kind == "folder"]
    verdicts_by_id = {id: _verdicts(results, id) for id in ids}
    marks = {id: read_marks(gradebook, id) if gradebook else {} for id in ids}
    verdicts = [
        verdict
        for by_student in verdicts_by_id.values()
        for student_verdicts in by_student.values()
        for verdict in student_verdicts
    ]
    secret = files.digest_of([verdict.to_json() for verdict in verdicts])
    students = {student for id in ids for student in (*verdicts_by_id[id], *marks[id])}
    ordered = sorted(students, key=lambda student: files.digest_of(secret, student))
    names = {student: f"p{number:04}" for number, student in enumerate(ordered, 1)}
    for id in ids:
        checks = [
            (names[student], number, verdict.table_state, result.id, check.id, check.points,
             check.max_points, " ".join(mistake.id for mistake in result.mistakes))
            for student, student_verdicts in verdicts_by_id[id].items()
            for number, verdict in enumerate(student_verdicts, 1)
            for result in verdict.exercises
            for check in result.checks
        ]  # fmt: skip
        cells: list[tuple] = [
            (names[student], *cell[:5], mark.penalty)
            for student, mark in marks[id].items()
            for cell in mark.cells
        ]
        yield f"{id}/checks.csv", files.csv_text([CHECKS, *sorted(checks)]).encode()
        yield f"{id}/marks.csv", files.csv_text([MARKS, *sorted(cells, key=str)]).encode()


def _verdicts(results: Path, assignment_id: str) -> dict[str, list[Verdict]]:
    """Return all verdicts on an assignment by student, the oldest first."""
    newest = [
        verdicts.read_verdict(path) for path in verdicts.verdict_files(results / assignment_id)
    ]
    return {
        verdict.student: [*verdicts.read_history(results, assignment_id, verdict.student), verdict]
        for verdict in newest
        if verdict
    }
