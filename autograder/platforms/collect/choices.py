"""What somebody chooses for files that have no place: `not-placed.csv`, its column `student` filled in.

    INTO/.received/<assignment>/not-placed.csv       a row for each file that may be a submission

`collect --resolve` reads a copy of that table back.
"""

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from autograder.engine.course.assignment import Assignment
from autograder.files.csv_text import csv_text, decoded, delimiter_of
from autograder.files.reading import NotRegular, TooLarge, entries, kind_of, read_named
from autograder.files.writing import replacing
from autograder.people.roster import NOT_PLACED_TABLE, RECEIVED, Person, is_student_id, read_people
from autograder.platforms.collect.plan import Plan, known_people, remembered_roster
from autograder.platforms.collect.times import TimeRules
from autograder.platforms.collect.unplaced import ASIDE, Row, UnplacedStore
from autograder.text.errors import CommandError
from autograder.text.patterns import Pattern
from autograder.text.printable import printable, safe_cell, unescape_formulas

COLUMNS = ["download", "file", "name", "email", "platform", "reason", "student"]
KEYS = "download", "file", "student"
MAX_BYTES = 16 << 20
SEPARATORS = Pattern(r"[\s,;]+")
Choices = dict[tuple[str, str], str]  # what is in the column student, by download and file


class NoChoices(CommandError):
    """This file is no table of choices; the message says what is wrong and what to do."""


def assignments_with_choices(into: Path, ids: Iterable[str]) -> list[str]:
    """Return those of these assignments of which something has no place. Raises `OSError`."""
    return [id for id in ids if kind_of(into / RECEIVED / id / NOT_PLACED_TABLE, into) == "file"]


def plan_choices(
    path: Path,
    assignment: Assignment,
    into: Path,
    roster: Path | None = None,
    times: TimeRules = TimeRules(),
) -> Plan:
    """Return what is to be placed by these choices, by the roster that was named here or before.

    Raises `NoChoices`, `RosterError`, `OSError`.
    """
    store, plan = UnplacedStore(into, assignment.id), Plan()
    rows = {_cells(row): row for row in store.rows(settled=True)}
    remembered = remembered_roster(into, assignment.id)
    if roster is None and kind_of(remembered, into) == "file":
        roster = remembered
    course = {one.student for one in read_people(roster)} if roster else None
    known = known_people(into, assignment)
    chosen: dict[tuple[str, str], list[Row]] = defaultdict(list)
    filled = {cells: students for cells, students in _read_choices(path).items() if students}
    if not filled:
        raise NoChoices(f"Nothing is filled in in the column `student` of `{path}`.")
    for cells, students in filled.items():
        row = rows.get(cells)
        if row is None:
            plan.not_placed.append(
                f"`{printable(cells[1])}` of `{printable(cells[0])}` is not among what has no place: "
                f"its cells `download` and `file` have to stay as they are in {NOT_PLACED_TABLE}."
            )
        elif students == ASIDE:
            plan.set_aside += [] if ASIDE in row.record.students else [row.key]
        else:
            for student in _ids(students, row, course, roster, plan):
                chosen[row.key, student].append(row)
    shared = Counter(key for key, _ in chosen)
    for (key, place), of_one in chosen.items():
        other, _, student = place.rpartition("/")
        if len(of_one) > 1:
            files = " and ".join(f"`{row.file}`" for row in of_one)
            plan.not_placed.append(f"{files} cannot both be of `{place}`: fill in one of them.")
        else:
            handed_in = times.said_of(store.handed_in(key, of_one[0].path))
            person = _person(handed_in.person, student, known, shared[key] > 1)
            plan.to_place.append(replace(handed_in, person=person, assignment=other))
            if student not in known and student != handed_in.person.student:
                plan.notes.append(f"`{student}` has handed in nothing before: is the id right?")
    return plan


def _ids(
    students: str, row: Row, course: set[str] | None, roster: Path | None, plan: Plan
) -> Iterator[str]:
    """The students of one cell, `ada` or for another assignment `sheet-4/ada`: several may have
    handed in together.
    """
    for place in dict.fromkeys(filter(None, SEPARATORS.split(students))):
        student = place.rpartition("/")[2]
        if not is_student_id(student):
            plan.not_placed.append(
                f"`{row.file}`: `{printable(student)}` cannot be a student's id (letters, digits, "
                ". _ @ -, at most 64)."
            )
        elif course is not None and student not in course:
            plan.not_placed.append(f"`{row.file}`: `{student}` is not in `{roster}`.")
        else:
            yield place


def _person(received: Person, student: str, known: dict[str, Person], shared: bool) -> Person:
    """The student; with what the platform says of them, unless others share that or it is known."""
    there = known.get(student, Person(student))
    if shared or there.name or there.number:
        return Person(student, platform=received.platform)
    return replace(received, student=student)


def _read_choices(path: Path) -> Choices:
    """Return what is filled in. Raises `NoChoices`, `OSError`."""
    try:
        data = read_named(path, MAX_BYTES)
    except FileNotFoundError as error:
        raise NoChoices(f"There is no file `{path}`.") from error
    except (NotRegular, TooLarge) as error:
        raise NoChoices(f"`{path}` is no table: {error}.") from error
    try:
        text = decoded(data)
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(text)))
    except UnicodeDecodeError as error:
        raise NoChoices(f"`{path}` is not UTF-8 text; save it as CSV in UTF-8.") from error
    except csv.Error as error:
        raise NoChoices(f"`{path}` is no CSV file ({error}).") from error
    columns = [name.strip().casefold() for name in rows[0]] if rows else []
    if missing := [name for name in KEYS if name not in columns]:
        raise NoChoices(
            f"`{path}` has no column `{missing[0]}`: fill in `student` in a copy of {NOT_PLACED_TABLE}."
        )
    places = [columns.index(name) for name in KEYS]
    found: Choices = {}
    for number, row in enumerate(rows[1:], start=2):
        padded = [*row, *[""] * len(columns)]
        download, file, student = (unescape_formulas(padded[place]).strip() for place in places)
        if (download, file) in found:
            raise NoChoices(
                f"`{path}`, row {number}: `{printable(file)}` is there twice; leave one."
            )
        if download or file:
            found[download, file] = student
    return found


def write_not_placed(store: UnplacedStore) -> Path | None:
    """Write the table of what has no place, with what was filled in before; return where it is.

    None where there is nothing to list. What stood there and is no such table is kept beside it.
    Raises `OSError`.
    """
    rows, table = store.rows(), store.received / NOT_PLACED_TABLE
    try:
        before = _read_choices(table)
    except NoChoices:
        before = {}
        if kind_of(table, store.into) is not None:
            taken = {one.name for one in entries(store.received, store.into)}
            free = (f"{table.stem}-{n}.csv" for n in range(1, len(taken) + 2))
            table.rename(table.with_name(next(name for name in free if name not in taken)))
    if not rows:
        table.unlink(missing_ok=True)
        return None
    text = csv_text([COLUMNS, *(_row(row, before.get(_cells(row), "")) for row in rows)])
    with replacing(table) as file:
        file.write(text)
    return table


def _row(row: Row, student: str) -> list[str]:
    person = row.record.person
    known = [row.download, row.file, person.name, person.email, person.platform]
    return [*known, row.record.sentence, student]


def _cells(row: Row) -> tuple[str, str]:
    """What is read of a row's first cells, once a spreadsheet had them."""
    download, file = (unescape_formulas(str(safe_cell(text))) for text in (row.download, row.file))
    return download.strip(), file.strip()
