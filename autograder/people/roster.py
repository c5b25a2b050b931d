"""Students as the course and as a platform know them, and the roster file."""

import csv
import io
from collections.abc import Callable, Iterable
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from autograder.engine.verdict.verdict import STUDENT
from autograder.files.csv_text import decoded, delimiter_of
from autograder.files.reading import NotRegular, TooLarge, read_named, read_regular
from autograder.files.writing import replacing
from autograder.text.errors import CommandError
from autograder.text.printable import escape_formulas, unescape_formulas, without_halves

MAX_BYTES = 16 << 20  # of a roster
RECEIVED = ".received"
ROSTER = "roster.csv"
NOT_PLACED_TABLE = "not-placed.csv"  # beside it: what has no place among the submissions
NEW_NUMBER_EACH_TIME = ("gradescope",)  # its number is that of a submission, not of a person


class RosterError(CommandError):
    """This file is no roster; the message says what is wrong and what to do."""


@dataclass(frozen=True)
class Person:
    """One student, as the course and as a platform knows them.

    `number` is the platform's: of a Moodle participant, of a Canvas or ILIAS user, or of a
    Gradescope submission; of a repository it is the user's name. `section` is the staff's: a tutor's
    group, as their roster names it.
    """

    student: str  # the course's id
    name: str = ""
    email: str = ""
    platform: str = ""  # moodle, canvas, ilias, gradescope, git, exchange, folder
    number: str = ""
    section: str = ""


COLUMNS = [field.name for field in fields(Person)]


def is_student_id(student: str) -> bool:
    """Whether this text can be a student's id.

    `roster.csv` cannot: that file lies beside the students' folders, as `not-placed.csv` does.
    """
    return bool(STUDENT.fullmatch(student)) and student.casefold() not in (ROSTER, NOT_PLACED_TABLE)


def roster_path(submitted: Path, assignment_id: str) -> Path:
    """Return the path of the roster that `collect` writes: who handed in."""
    return submitted / RECEIVED / assignment_id / ROSTER


def read_roster(submitted: Path, assignment_id: str) -> dict[str, Person]:
    """Return the people by id of the roster that `collect` wrote; nobody if there is none.

    No link is followed below `submitted`. Raises `RosterError`, `OSError`.
    """
    path = roster_path(submitted, assignment_id)
    try:
        people = _people(path, lambda: read_regular(path, MAX_BYTES, submitted))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    return {person.student: person for person in people}


def write_roster(path: Path, people: Iterable[Person]) -> None:
    """Write one row for each person, sorted by id. Raises `OSError`."""
    with replacing(path) as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        for person in sorted(people, key=lambda person: person.student):
            row = (without_halves(value) for value in astuple(person))
            table.writerow(map(escape_formulas, row))


def read_people(path: Path) -> list[Person]:
    """Return the rows of a roster, which may name one student several times.

    Its cells may be separated by commas, semicolons or tabs. Raises `RosterError`, `OSError`.
    """
    try:
        return _people(path, lambda: read_named(path, MAX_BYTES))
    except FileNotFoundError as error:
        raise RosterError(f"There is no roster `{path}`.") from error


def _people(path: Path, read: Callable[[], bytes]) -> list[Person]:
    try:
        text = decoded(read())
    except TooLarge as error:
        raise RosterError(f"`{path}` is too long for a roster.") from error
    except NotRegular as error:
        raise RosterError(f"There is no roster `{path}`: {error}.") from error
    except UnicodeDecodeError as error:
        raise RosterError(f"`{path}` is not UTF-8 text; save it as CSV in UTF-8.") from error
    heading, delimiter = text.partition("\n")[0], delimiter_of(text)
    try:
        rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise RosterError(f"`{path}` is no CSV file ({error}).") from error
    if "student" not in [name.strip().lower() for name in heading.split(delimiter)]:
        raise RosterError(
            f"`{path}` has no column `student`; a roster has the columns {', '.join(COLUMNS)}."
        )
    return [_person(row, path, line) for line, row in enumerate(rows, start=2) if any(row.values())]


def _person(row: dict, path: Path, line: int) -> Person:
    cells = {
        name.strip().lower(): value or ""
        for name, value in row.items()
        if isinstance(name, str) and not isinstance(value, list)
    }
    values = {name: unescape_formulas(cells.get(name, "")) for name in COLUMNS}
    values["student"] = values["student"].strip()
    if not is_student_id(values["student"]):
        raise RosterError(
            f"`{path}`, row {line}: {values['student']!r:.80} cannot be a student's id "
            "(letters, digits, . _ @ -, at most 64)."
        )
    return Person(**values)
