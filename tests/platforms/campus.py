"""An invented platform: all that a new one needs is a record like this, and a row in the registry.

Its zip has a folder a student, `Ada Softmax (4711)/`. It takes back a table of numbers and points.
"""

from autograder.classroom.new_ids import slug
from autograder.classroom.roster import Person
from autograder.engine import Pattern
from autograder.gradebook.grades import Grade, decimal_text
from autograder.platforms.platform import (
    ClassGrades,
    Contents,
    Format,
    HandedIn,
    Item,
    Known,
    Layout,
    Platform,
)
from autograder.platforms.spreadsheet import table_bytes

PLATFORM = "campus"
FOLDER = Pattern(r"(?P<name>.+) \((?P<number>\d+)\)")
HEADER = ["number", "points"]


def _sort_by_student(items: list[Item], assignment_id: str, known: Known) -> Contents:
    return Contents([_handed_in(item) for item in items])


def _handed_in(item: Item) -> HandedIn:
    name, number = item.said["name"], item.said["number"]
    person = Person(slug(name, number), name, platform=PLATFORM, number=number)
    return HandedIn(person, item.name, tuple(item.files))


def _part(grade: Grade, of_class: ClassGrades) -> list[str]:
    points = "" if grade.total is None else decimal_text(grade.total)
    return [grade.number_at(PLATFORM), points]


def _write(of_class: ClassGrades) -> tuple[list[bytes], list[str]]:
    return [table_bytes(HEADER, of_class.parts.values())], []


RECORD = Platform(
    PLATFORM,
    (Layout(FOLDER, _sort_by_student, times_in_zip=True),),
    Format(("campus.csv",), _part, _write, lambda header: header == HEADER),
)
