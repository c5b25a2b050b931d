"""What somebody chose for files that had no place: `not-placed.csv`, its column `student` filled in."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from autograder.collect.plan import Plan, known_people
from autograder.collect.table import NoChoices, cells_of, read_choices
from autograder.collect.times import TimeRules
from autograder.collect.unplaced import ASIDE, Row, UnplacedStore
from autograder.engine.assignment import Assignment
from autograder.files import kind_of
from autograder.patterns import Pattern
from autograder.people import NOT_PLACED_TABLE, RECEIVED, Person, is_student_id, read_people
from autograder.text import printable

SEPARATORS = Pattern(r"[\s,;]+")


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
    """Return what is to be placed by these choices. Raises `NoChoices`, `RosterError`, `OSError`."""
    store, plan = UnplacedStore(into, assignment.id), Plan()
    rows = {cells_of(row): row for row in store.rows(settled=True)}
    course = {one.student for one in read_people(roster)} if roster else None
    known = known_people(into, assignment)
    chosen: dict[tuple[str, str], list[Row]] = defaultdict(list)
    filled = {cells: students for cells, students in read_choices(path).items() if students}
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
            handed_in = times.said_of(store.handed_in(of_one[0]))
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
