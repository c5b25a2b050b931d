"""The table of submissions that are not placed: a row for each file that may be somebody's
notebook.

    INTO/.received/<assignment>/not-placed.csv

`collect --resolve` reads a copy of it in which the user has filled in the column `student`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.engine.course.assignment import Assignment
from autograder.files.csv_text import TableError, csv_text, read_table
from autograder.files.reading import entries, kind_of
from autograder.files.writing import replacing
from autograder.people.groups import CourseGroups
from autograder.people.roster import (
    NOT_PLACED_TABLE,
    RECEIVED,
    Person,
    is_student_id,
    read_people,
    remembered_roster,
)
from autograder.platforms.collect.plan import Plan, known_people
from autograder.platforms.collect.store import ReceivedStore, Unplaced
from autograder.platforms.collect.times import TimeRules
from autograder.text.patterns import Pattern
from autograder.text.printable import printable, safe_cell, unescape_formulas

COLUMNS = ["download", "file", "name", "email", "platform", "reason", "student"]
KEYS = "download", "file", "student"
ASIDE = "-"  # in place of a student: it stays where it is, and is listed no more
SEPARATORS = Pattern(r"[\s,;]+")


@dataclass(frozen=True)
class NotPlacedRow:
    """A row of the table `not-placed.csv`: a file that may be somebody's notebook, and the record
    of its submission.
    """

    record: Unplaced
    path: str  # of the file in its download
    file: str  # the same as it is shown

    @property
    def cells(self) -> tuple[str, str]:
        """The cells `download` and `file` of the row, as they are read back after a spreadsheet has
        saved the table.
        """
        shown = printable(self.record.handed_in.download), self.file
        download, file = (unescape_formulas(str(safe_cell(text))).strip() for text in shown)
        return download, file


def rows_of(store: ReceivedStore) -> list[NotPlacedRow]:
    """Return a row for each file of each unplaced submission in the store, also of those that were
    placed later.

    If two rows have the same download and file name, a part of the record's key is appended to the
    file name in the later row.
    """
    rows, times = [], Counter[tuple[str, str]]()
    for record in store.records.values():
        for path in record.rows:
            download, file = printable(record.handed_in.download), printable(path, 1_000)
            times[download, file] += 1
            again = times[download, file] > 1
            rows.append(NotPlacedRow(record, path, f"{file} [{record.key[:8]}]" if again else file))
    return rows


def write_not_placed(store: ReceivedStore) -> Path | None:
    """Write `not-placed.csv` for the submissions that are not placed; return its path. If all are
    placed, remove it and return None.

    Students already filled in are kept. If the file with this name is no such table, it is renamed
    and not overwritten.
    """
    rows = [row for row in rows_of(store) if not row.record.students]
    table = store.folder / NOT_PLACED_TABLE
    try:
        before = _read_choices(table)
    except TableError:
        before = {}
        if kind_of(table, store.into) is not None:
            taken = {one.name for one in entries(store.folder, store.into)}
            free = (f"{table.stem}-{n}.csv" for n in range(1, len(taken) + 2))
            table.rename(table.with_name(next(name for name in free if name not in taken)))
    if not rows:
        table.unlink(missing_ok=True)
        return None
    text = csv_text([COLUMNS, *(_row_cells(row, before.get(row.cells, "")) for row in rows)])
    with replacing(table) as file:
        file.write(text)
    return table


def _row_cells(row: NotPlacedRow, student: str) -> list[str]:
    handed_in = row.record.handed_in
    person = handed_in.person
    known = [printable(handed_in.download), row.file, person.name, person.email, person.platform]
    return [*known, row.record.sentence, student]


def assignments_with_choices(into: Path, ids: Iterable[str]) -> list[str]:
    """Return those of the assignments `ids` that have a `not-placed.csv` in the folder `into`."""
    return [id for id in ids if kind_of(into / RECEIVED / id / NOT_PLACED_TABLE, into) == "file"]


def plan_choices(
    path: Path,
    assignment: Assignment,
    into: Path,
    roster: Path | None = None,
    times: TimeRules = TimeRules(),
) -> Plan:
    """Read a copy of `not-placed.csv` at `path` in which the column `student` is filled in; return
    a plan that places each submission for the students named in its row. It writes nothing.

    `into`: the folder of submissions. `roster`: the students who are allowed; by default the roster
    used when collecting, if any. `times`: the user's options on times of submission. A row that
    cannot be used adds a sentence to the plan. Raises `TableError` if the table or the roster
    cannot be read, or if nothing is filled in; `CommandError` if the store cannot be read.
    """
    store = ReceivedStore(into, assignment.id)
    plan = Plan(groups=CourseGroups(assignment.course.root, into, roster))
    rows = {row.cells: row for row in rows_of(store)}
    remembered = remembered_roster(into, assignment.id)
    if roster is None and kind_of(remembered, into) == "file":
        roster = remembered
    course = _allowed_ids(plan, roster, assignment)
    chosen: dict[tuple[str, str], list[NotPlacedRow]] = defaultdict(list)
    filled = {cells: students for cells, students in _read_choices(path).items() if students}
    if not filled:
        raise TableError(f"Nothing is filled in in the column `student` of `{path}`.")
    for cells, students in filled.items():
        row = rows.get(cells)
        if row is None:
            plan.not_placed.append(
                f"`{printable(cells[1])}` of `{printable(cells[0])}` is not among what has no place: "
                f"its cells `download` and `file` have to stay as they are in {NOT_PLACED_TABLE}."
            )
        elif students == ASIDE:
            plan.set_aside += [] if ASIDE in row.record.students else [row.record.key]
        else:
            for student in _ids(students, row, course, roster, plan):
                chosen[row.record.key, student].append(row)
    _plan_chosen(plan, chosen, store, known_people(into, assignment), times)
    return plan


def _allowed_ids(plan: Plan, roster: Path | None, assignment: Assignment) -> set[str] | None:
    """Return the ids of the students on the roster and of the groups of the assignment; None, which
    allows any, if there is no roster. Raises `TableError` if a table cannot be read.
    """
    if roster is None:
        return None
    groups = plan.groups.of(assignment.id).by_id if plan.groups else {}
    return {one.student for one in read_people(roster)} | {*groups}


def _plan_chosen(
    plan: Plan,
    chosen: dict[tuple[str, str], list[NotPlacedRow]],
    store: ReceivedStore,
    known: dict[str, Person],
    times: TimeRules,
) -> None:
    """Add the submissions of the chosen rows to the plan, with the person for whom each is placed.
    If two rows of one submission are filled in for the same place, add a sentence instead.

    `chosen`: rows by the key of their submission and by place, which is `student` or
    `assignment/student`. `store`: holds the submissions' files. `known`: people who already have an
    id in the course, by id. `times`: the user's options on times.
    """
    shared = Counter(key for key, _ in chosen)
    for (key, place), (row, *others) in chosen.items():
        assignment, _, student = place.rpartition("/")
        if others:
            files = " and ".join(f"`{one.file}`" for one in (row, *others))
            plan.not_placed.append(f"{files} cannot both be of `{place}`: fill in one of them.")
            continue
        handed_in = times.said_of(store.handed_in(row.record))
        person = _person(handed_in.person, student, known, shared[key] > 1)
        plan.to_place.append(
            replace(handed_in, person=person, assignment=assignment, chosen=row.path)
        )
        if student not in known and student != handed_in.person.student:
            plan.notes.append(f"`{student}` has handed in nothing before: is the id right?")


def _ids(
    students: str, row: NotPlacedRow, course: set[str] | None, roster: Path | None, plan: Plan
) -> Iterator[str]:
    """Yield the valid places in a row's cell `student`: `ada`, or `sheet-4/ada` for another
    assignment; several for a team.

    `students`: the cell. `course`: the ids in the roster, None without a roster; `roster` is its
    path. For each invalid place, a sentence is added to the plan.
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
    """Return the person with the id `student`, and with name, e-mail and number as the platform
    tells them (`received`).

    Only the id and the platform are kept if `known` (people by id) has the student's name or number
    already, or if several students share the row (`shared`).
    """
    there = known.get(student, Person(student))
    if shared or there.name or there.number:
        return Person(student, platform=received.platform)
    return replace(received, student=student)


def _read_choices(path: Path) -> dict[tuple[str, str], str]:
    """Return the cell `student` of each row of the table at `path`, by the row's cells `download`
    and `file`. Raises `TableError` if two rows have these two cells in common, or if the table
    cannot be read.
    """
    found: dict[tuple[str, str], str] = {}
    for line, cells in read_table(path).records(*KEYS):
        download, file, student = (cells[name].strip() for name in KEYS)
        if (download, file) in found:
            raise TableError(
                f"`{path}`, line {line}: `{printable(file)}` is there twice; leave one."
            )
        if download or file:
            found[download, file] = student
    return found
