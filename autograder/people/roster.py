"""`Person`, a student as the course and a platform know them; read and write the roster file (CSV)."""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from autograder.engine.verdict.verdict import STUDENT
from autograder.files.csv_text import NoTable, Table, TableError, read_table
from autograder.files.writing import replacing
from autograder.text.printable import escape_formulas, without_halves

RECEIVED = ".received"
ROSTER = "roster.csv"
NOT_PLACED_TABLE = "not-placed.csv"  # beside it: what has no place among the submissions
NEW_NUMBER_EACH_TIME = ("gradescope",)  # its number is that of a submission, not of a person


@dataclass(frozen=True)
class Person:
    """One student, as the course and as a platform know them.

    `student` is the id in the course. `number` is the number that the platform gives: to a
    participant in Moodle, to a user in Canvas or ILIAS, to a submission in Gradescope; for a git
    repository it is the user's name. `section` is the tutorial group in the staff's roster. `login`
    and `id_number` are the user name and the student number that a platform names; a roster has
    them as `student` or `number`.
    """

    student: str  # the course's id
    name: str = ""
    email: str = ""
    platform: str = ""  # moodle, canvas, ilias, gradescope, git, exchange, folder
    number: str = ""
    section: str = ""
    login: str = ""
    id_number: str = ""


COLUMNS = ["student", "name", "email", "platform", "number", "section"]


def is_student_id(student: str) -> bool:
    """Whether a text is a valid student id. The names of two files that `collect` writes,
    `roster.csv` and `not-placed.csv`, are none.
    """
    return bool(STUDENT.fullmatch(student)) and student.casefold() not in (ROSTER, NOT_PLACED_TABLE)


def roster_path(submitted: Path, assignment_id: str) -> Path:
    """Return the path of the roster that `collect` writes for an assignment: the students who
    handed in.
    """
    return submitted / RECEIVED / assignment_id / ROSTER


def read_roster(submitted: Path, assignment_id: str) -> dict[str, Person]:
    """Read the roster that `collect` wrote for an assignment; return its people by id, {} if there
    is no roster.

    `submitted`: the folder that `collect` filled; no link below it is followed. Raises `TableError`
    if the roster is damaged.
    """
    try:
        table = read_table(roster_path(submitted, assignment_id), submitted)
    except NoTable:
        return {}
    return {person.student: person for person in _people(table)}


def remembered_roster(submitted: Path, assignment_id: str) -> Path:
    """Return the path, in the folder that `collect` fills, of a copy of the staff's roster that it
    was given for an assignment. It may not exist.
    """
    return submitted / RECEIVED / assignment_id / ".course.csv"


def read_remembered(submitted: Path, assignment_id: str) -> list[Person]:
    """Read the staff's roster that `collect` was given for an assignment; return a person for each
    row, [] if it was given none.

    `submitted`: the folder that `collect` filled; no link below it is followed. Raises `TableError`
    if the copy is damaged.
    """
    try:
        return _people(read_table(remembered_roster(submitted, assignment_id), submitted))
    except NoTable:
        return []


def write_roster(path: Path, people: Iterable[Person]) -> None:
    """Write a roster (CSV) with one row per person, sorted by id; replace an existing file."""
    with replacing(path) as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        for person in sorted(people, key=lambda person: person.student):
            row = (without_halves(getattr(person, column)) for column in COLUMNS)
            table.writerow(map(escape_formulas, row))


def read_people(path: Path) -> list[Person]:
    """Read a roster (CSV) that staff named; return a person for each row. A student may have
    several rows.

    Raises `NoTable` if there is no such file, and `TableError` if it has no column `student` or an
    invalid id.
    """
    return _people(read_table(path))


def _people(table: Table) -> list[Person]:
    if table.column("student") is None:
        raise TableError(
            f"`{table.name}` has no column `student`; a roster has the columns {', '.join(COLUMNS)}."
        )
    return [_person(line, cells, table.name) for line, cells in table.records()]


def _person(line: int, cells: dict[str, str], name: str) -> Person:
    values = {column: cells.get(column, "") for column in COLUMNS}
    values["student"] = values["student"].strip()
    if not is_student_id(values["student"]):
        raise TableError(
            f"`{name}`, line {line}: {values['student']!r:.80} cannot be a student's id "
            "(letters, digits, . _ @ -, at most 64)."
        )
    return Person(**values)
