"""Who is who: a student's id in the course, and the same person on the platform."""

import csv
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from autograder.replacing import replacing


@dataclass(frozen=True)
class Person:
    student: str  # the course's id
    name: str = ""
    email: str = ""
    platform: str = ""  # moodle, canvas, ilias, gradescope, exchange, folder
    number: str = ""  # the platform's own: Moodle participant, Canvas user, Gradescope submission


COLUMNS = [field.name for field in fields(Person)]


def roster_path(submitted: Path, assignment_id: str) -> Path:
    return submitted / ".received" / assignment_id / "roster.csv"


def read_roster(path: Path) -> dict[str, Person]:
    """Return the people by student; none where there is no roster. Raises `OSError`, `ValueError`."""
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        rows = [{name: row.get(name) or "" for name in COLUMNS} for row in csv.DictReader(file)]
    return {row["student"]: Person(**row) for row in rows if row["student"]}


def write_roster(path: Path, people: dict[str, Person]) -> None:
    """Write the people, by student. Raises `OSError`."""
    with replacing(path) as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        table.writerows(astuple(person) for _, person in sorted(people.items()))
