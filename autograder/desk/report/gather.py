"""Read what `report` shows of a class: verdicts, rosters, submissions unmatched, gradebook,
look-alikes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from autograder.classroom.groups import Groups
from autograder.classroom.roster import Person, read_remembered, read_roster
from autograder.classroom.unmatched import read_unmatched, senders
from autograder.desk.inquiries.deciders import read_markers
from autograder.desk.look_alikes.file import LookAlikes, read_look_alikes
from autograder.desk.report.class_results import ClassResults, Late
from autograder.desk.sources import Sources
from autograder.engine import AutograderError, points_text
from autograder.gradebook.grades import Results, read_results
from autograder.gradebook.inquiries import read_inquiries
from autograder.gradebook.sync.marks import StudentMarks
from autograder.gradebook.sync.tables import read_lateness, read_marks

T = TypeVar("T")


def gather(sources: Sources, roster: list[Person] | None) -> Iterator[ClassResults]:
    """Yield all that is known of each assignment of `sources`.

    `roster`: who should have handed in each. If it is None, those on the rosters that `collect`
    was given, and with several assignments also whoever has a verdict in one. Raises `AutograderError` if
    the gradebook, the late policy or a table cannot be used; `OSError` if a file cannot be read.
    """
    ids = sources.assignments
    found = {id: read_results(sources.results, id) for id in ids}
    people = {id: _people(sources, id) if roster is None else roster for id in ids}
    known = [person for of_one in people.values() for person in of_one]
    expected = {person.student for person in known}
    of_course = sources.groups
    if roster is None and len(ids) > 1:
        verdicts = ((id, one) for id in ids for one in found[id].verdicts)
        expected |= {who for id, one in verdicts for who in of_course.of(id).members(one.student)}
    for id in ids:
        unmatched = read_unmatched(sources.submitted, id)
        whose = frozenset(senders(unmatched, [*known, *map(Person, sorted(expected))]))
        groups = of_course.of(id)
        one = _gather_one(found[id], people[id], frozenset(expected), sources, groups)
        of_these = frozenset(groups.of(who) or who for who in whose & expected)
        yield replace(one, unmatched=len(unmatched), senders=of_these)


def _people(sources: Sources, id: str) -> list[Person]:
    """Return the people on the roster that `collect` was given for the assignment; without one,
    those whose submissions it placed; [] if nothing was collected.
    """
    of_staff = read_remembered(sources.submitted, id)
    return of_staff or [*read_roster(sources.submitted, id).values()]


def _gather_one(
    found: Results,
    people: list[Person],
    expected: frozenset[str],
    sources: Sources,
    groups: Groups,
) -> ClassResults:
    """Return all that is known of one assignment but what is unmatched. `found`: its verdicts;
    `people`: its roster; `expected`: ids of students who should have handed in. A group is in it
    once, with what is known of its first member.
    """
    id = found.assignment
    marks = read_marks(sources.gradebook, id) if sources.gradebook else {}
    marks = {who: mark for who, mark in marks.items() if who not in groups.by_id}
    alike, alike_damaged = _look_alikes(found.folder)
    owners = _Owners(groups, {one.student for one in found.verdicts})
    waiting = {who: mark.waiting for who, mark in marks.items()}
    return ClassResults(
        assignment=id,
        verdicts=found.verdicts,
        damaged=found.damaged,
        expected=frozenset(owners.once(dict.fromkeys(expected))),
        names=owners.names(people, marks),
        sections=owners.once(_sections(people)),
        late=owners.late(_late(sources, id, marks)),
        waiting=owners.once(waiting) if marks else None,
        totals=_totals(marks),
        most=max((mark.max_points for mark in marks.values()), default=0.0),
        inquiries=list(read_inquiries(found.folder.parent, id).values()),
        marked=read_markers(found.folder.parent, id, groups),
        alike=alike,
        alike_damaged=alike_damaged,
    )


@dataclass(frozen=True)
class _Owners:
    """Who submitted: `alone` are the students and groups with a verdict of their own. What is known of
    students is turned into what is known of these.
    """

    groups: Groups
    alone: set[str]

    def of(self, student: str) -> str:
        return student if student in self.alone else self.groups.of(student) or student

    def once(self, of_students: Mapping[str, T]) -> dict[str, T]:
        found: dict[str, T] = {}
        for student, one in of_students.items():
            found.setdefault(self.of(student), one)
        return found

    def names(self, people: list[Person], marks: Mapping[str, StudentMarks]) -> dict[str, str]:
        names = {who: mark.name for who, mark in marks.items()}
        names |= {person.student: person.name for person in people if person.name}
        return names | {
            group: ", ".join(names.get(one) or one for one in members)
            for group, members in self.groups.by_id.items()
        }

    def late(self, of_students: Mapping[str, Late]) -> dict[str, Late]:
        """Return what being late costs; of a group, what it takes from all members."""
        late: dict[str, Late] = {}
        for student, one in of_students.items():
            before = late.get(self.of(student), Late(0.0, ""))
            sentence = "" if one.sentence in before.sentence else one.sentence
            sentences = f"{before.sentence} {sentence}".strip()
            late[self.of(student)] = Late(before.points + one.points, sentences)
        return late


def _totals(marks: Mapping[str, StudentMarks]) -> dict[str, float]:
    """Return the final points of each student who waits for no mark, after the penalty; {} as long
    as nobody has given a mark and nothing was taken.

    `marks`: from the gradebook, by student.
    """
    if not any(mark.by_hand or mark.penalty for mark in marks.values()):
        return {}
    return {who: mark.total for who, mark in marks.items() if not mark.waiting}


def _sections(people: list[Person]) -> dict[str, str]:
    """Return each student's section, by student id; of several, that of the first person who has
    one.
    """
    return {one.student: one.section.strip() for one in reversed(people) if one.section.strip()}


def _late(sources: Sources, assignment: str, marks: Mapping[str, StudentMarks]) -> dict[str, Late]:
    """Return each student's late penalty in the gradebook, by student, with a sentence on how it
    was calculated; if the course's late policy now gives another penalty, the sentence only says
    what the gradebook takes. Students without a penalty and a sentence are left out.

    `marks`: from the gradebook, by student.
    """
    late = None
    if sources.gradebook and sources.course:
        late = read_lateness(sources.gradebook, sources.course, assignment)
    found = {}
    for who, mark in marks.items():
        why = late.explanation(who, mark.penalty) if late else ""
        if mark.penalty:
            why = why or f"The gradebook takes {points_text(mark.penalty)} points for being late."
        if why:
            found[who] = Late(mark.penalty, why)
    return found


def _look_alikes(folder: Path) -> tuple[LookAlikes | None, str]:
    """Return what `look-alikes` found in this assignment, None if it did not run; and why its file
    cannot be read, "" if it can.
    """
    try:
        return read_look_alikes(folder), ""
    except AutograderError as error:
        return None, str(error)
