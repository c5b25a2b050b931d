"""Who is who: the course's ids, and what a platform calls the same people."""

import csv
import io
import unicodedata
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from autograder.replacing import replacing
from autograder.verdict import STUDENT

MAX_BYTES = 16 << 20
RECEIVED = ".received"


class RosterError(Exception):
    """This file is no roster; the message says what is wrong and what to do."""


class NotInRoster(Exception):
    """The roster does not say who this is; the message says why."""


@dataclass(frozen=True)
class Person:
    student: str  # the course's id
    name: str = ""
    email: str = ""
    platform: str = ""  # moodle, canvas, ilias, gradescope, exchange, folder
    number: str = (
        ""  # the platform's: Moodle participant, Canvas or ILIAS user, Gradescope submission
    )


COLUMNS = [field.name for field in fields(Person)]


def roster_path(submitted: Path, assignment_id: str) -> Path:
    """Where `collect` writes who handed in."""
    return submitted / RECEIVED / assignment_id / "roster.csv"


def read_roster(path: Path) -> dict[str, Person]:
    """Return the people by id, none if there is no file. Raises `RosterError`, `OSError`."""
    if not path.exists():
        return {}
    return {person.student: person for person in read_people(path)}


def write_roster(path: Path, people: Iterable[Person]) -> None:
    """Write a row a person, by id. Raises `OSError`."""
    with replacing(path) as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        for person in sorted(people, key=lambda person: person.student):
            row = (value.encode(errors="replace").decode() for value in astuple(person))
            table.writerow(row)


def read_people(path: Path) -> list[Person]:
    """Return the rows of a roster, which may name one student several times.

    Commas or semicolons, as spreadsheets write them. Raises `RosterError`, `OSError`.
    """
    if path.stat().st_size > MAX_BYTES:
        raise RosterError(f"`{path}` is too long for a roster.")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RosterError(f"`{path}` is not UTF-8 text; save it as CSV in UTF-8.") from error
    heading = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=heading.count)
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
    values = {name: cells.get(name, "") for name in COLUMNS}
    values["student"] = values["student"].strip()
    if not STUDENT.fullmatch(values["student"]):
        raise RosterError(
            f"`{path}`, row {line}: {values['student']!r:.80} cannot be a student's id "
            "(letters, digits, . _ @ -, at most 64)."
        )
    return Person(**values)


def find_person(person: Person, known: list[Person], where: str) -> Person:
    """Return `person` under the course's own id: by number, e-mail, name or id, in that order.

    Raises `NotInRoster`.
    """
    for what, alike in (
        ("number", _same_number),
        ("e-mail", _same_email),
        ("name", _same_name),
        ("id", _same_id),
    ):
        ids = sorted({row.student for row in known if alike(person, row)})
        if len(ids) == 1:
            return Person(ids[0], person.name, person.email, person.platform, person.number)
        if ids:
            raise NotInRoster(f"has the {what} of several in `{where}`: {', '.join(ids[:5])}")
    raise NotInRoster(f"is not in `{where}`; add a row and collect again")


def _same_number(person: Person, row: Person) -> bool:
    known = row.number.strip()
    here = not row.platform.strip() or row.platform.strip().lower() == person.platform
    return bool(known) and here and known == person.number


def _same_email(person: Person, row: Person) -> bool:
    return bool(person.email) and person.email.casefold() == row.email.strip().casefold()


def _same_name(person: Person, row: Person) -> bool:
    return bool(_spellings(person.name) & _spellings(row.name))


def _same_id(person: Person, row: Person) -> bool:
    return person.student == row.student


def _spellings(name: str) -> set[str]:
    """A name without spaces and accents, its words in each order that lists of people use."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    words = ["".join(c for c in word if c.isalnum()) for word in plain.replace(",", " ").split()]
    words = [word for word in words if word]
    return {"".join(words[i:] + words[:i]) for i in range(len(words))} - {""}
