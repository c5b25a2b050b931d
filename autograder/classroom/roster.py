"""`Person`, a student as known to the course and a platform. Read the roster file (CSV)."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.engine import files, verdicts

RECEIVED = ".received"  # the folder in which earlier versions kept their lists


@dataclass(frozen=True)
class Person:
    """A student, as known to the course and to a platform.

    `number` is the platform's number: of a participant in Moodle, of a user in Canvas or ILIAS,
    the sid in Gradescope, or the user name of a git repository. `section` is the tutorial group in
    the staff's roster. `login` and `id_number` are the user name and the student number on the
    platform. A roster has them as `student` or `number`.
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
    return bool(verdicts.STUDENT.fullmatch(student))


def read_roster(submitted: Path, assignment_id: str) -> dict[str, Person]:
    """Return the students who submitted, by id. Raises `AutograderError` for unusable records."""
    from autograder.classroom.records.received import people_of  # SQLAlchemy takes a moment

    return {row.student: _as_person(row) for row in people_of(submitted, assignment_id)}


def read_remembered(submitted: Path, assignment_id: str) -> list[Person]:
    """Return all students of rosters, else of Moodle's worksheet. Raises `AutograderError`."""
    from autograder.classroom.records.received import expected_of

    return [_as_person(row) for row in expected_of(submitted, assignment_id)]


def _as_person(row: Any) -> Person:
    return Person(*(getattr(row, column) for column in COLUMNS))


def sender_of(submission: Any) -> Person:
    """Return the sender of a recorded submission, with the id suggested by the platform."""
    row = submission
    return Person(
        row.suggested_id, row.name, row.email, row.platform, row.number, row.section, row.login,
        row.id_number,
    )  # fmt: skip


def roster_cells(person: Person) -> tuple[str, str, str, str, str, str]:
    """Return the cells of a person's row in a roster, in the order of `COLUMNS`."""
    p = person
    return p.student, p.name, p.email, p.platform, p.number, p.section


def read_people(path: Path) -> list[Person]:
    """Read a roster (CSV) from staff, and return a person for each row. Raises `NoTable` for a
    missing file, `TableError` without a column `student` or for an invalid id.
    """
    return people_in(files.read_table(path))


def people_in(table: files.Table) -> list[Person]:
    """Return a person for each row of a roster. Raises `TableError` as `read_people` does."""
    if table.column("student") is None:
        raise files.TableError(
            f"`{table.name}` has no column `student`; a roster has the columns {', '.join(COLUMNS)}."
        )
    return [_person(line, cells, table.name) for line, cells in table.records()]


def _person(line: int, cells: dict[str, str], name: str) -> Person:
    values = {column: cells.get(column, "") for column in COLUMNS}
    values["student"] = values["student"].strip()
    if not is_student_id(values["student"]):
        raise files.TableError(
            f"`{name}`, line {line}: {values['student']!r:.80} cannot be a student's id "
            "(letters, digits, . _ @ -, at most 64)."
        )
    return Person(**values)
