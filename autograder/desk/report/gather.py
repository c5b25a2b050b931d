"""Read the data of a class for `report`: verdicts, rosters, unmatched submissions, gradebook,
similar submissions.
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
    """Yield the results of each assignment of `sources`.

    `roster`: the students who should submit each. None stands for the rosters given to `collect`,
    and with several assignments also for all students with a verdict on any. Raises
    `AutograderError` if the gradebook, the late policy or a table cannot be used, `OSError` if a
    file cannot be read.
    """
    ids = sources.assignments
    results_by_id = {id: read_results(sources.results, id) for id in ids}
    people = {id: _people(sources, id) if roster is None else roster for id in ids}
    listed = [person for roster_people in people.values() for person in roster_people]
    expected = {person.student for person in listed}
    course_groups = sources.groups
    if roster is None and len(ids) > 1:
        verdicts = ((id, verdict) for id in ids for verdict in results_by_id[id].verdicts)
        expected |= {
            student
            for id, verdict in verdicts
            for student in course_groups.of(id).members(verdict.student)
        }
    for id in ids:
        unmatched = read_unmatched(sources.submitted, id)
        sent = frozenset(senders(unmatched, [*listed, *map(Person, sorted(expected))]))
        groups = course_groups.of(id)
        gathered = _gather_one(results_by_id[id], people[id], frozenset(expected), sources, groups)
        owners = frozenset(groups.of(student) or student for student in sent & expected)
        yield replace(gathered, unmatched=len(unmatched), senders=owners)


def _people(sources: Sources, id: str) -> list[Person]:
    """Return the roster given to `collect`, else the people with matched submissions."""
    of_staff = read_remembered(sources.submitted, id)
    return of_staff or [*read_roster(sources.submitted, id).values()]


def _gather_one(
    results: Results,
    people: list[Person],
    expected: frozenset[str],
    sources: Sources,
    groups: Groups,
) -> ClassResults:
    """Return an assignment's results without unmatched submissions. A group appears once, with the
    data of its first member.
    """
    id = results.assignment
    marks = read_marks(sources.gradebook, id) if sources.gradebook else {}
    marks = {student: mark for student, mark in marks.items() if student not in groups.by_id}
    alike, alike_damaged = _look_alikes(results.folder)
    owners = _Owners(groups, {verdict.student for verdict in results.verdicts})
    waiting = {student: mark.waiting for student, mark in marks.items()}
    return ClassResults(
        assignment=id,
        verdicts=results.verdicts,
        damaged=results.damaged,
        expected=frozenset(owners.once(dict.fromkeys(expected))),
        names=owners.names(people, marks),
        sections=owners.once(_sections(people)),
        late=owners.late(_late(sources, id, marks)),
        waiting=owners.once(waiting) if marks else None,
        totals=_totals(marks),
        most=max((mark.max_points for mark in marks.values()), default=0.0),
        inquiries=list(read_inquiries(results.folder.parent, id).values()),
        marked=read_markers(results.folder.parent, id, groups),
        alike=alike,
        alike_damaged=alike_damaged,
    )


@dataclass(frozen=True)
class _Owners:
    """Turns data of students into data of submission owners. `alone`: students and groups with a
    verdict of their own.
    """

    groups: Groups
    alone: set[str]

    def of(self, student: str) -> str:
        return student if student in self.alone else self.groups.of(student) or student

    def once(self, of_students: Mapping[str, T]) -> dict[str, T]:
        by_owner: dict[str, T] = {}
        for student, entry in of_students.items():
            by_owner.setdefault(self.of(student), entry)
        return by_owner

    def names(self, people: list[Person], marks: Mapping[str, StudentMarks]) -> dict[str, str]:
        names = {student: mark.name for student, mark in marks.items()}
        names |= {person.student: person.name for person in people if person.name}
        return names | {
            group: ", ".join(names.get(member) or member for member in members)
            for group, members in self.groups.by_id.items()
        }

    def late(self, of_students: Mapping[str, Late]) -> dict[str, Late]:
        """Return the late penalties. A group has the sum of its members' penalties."""
        late: dict[str, Late] = {}
        for student, penalty in of_students.items():
            earlier = late.get(self.of(student), Late(0.0, ""))
            sentence = "" if penalty.sentence in earlier.sentence else penalty.sentence
            sentences = f"{earlier.sentence} {sentence}".strip()
            late[self.of(student)] = Late(earlier.points + penalty.points, sentences)
        return late


def _totals(marks: Mapping[str, StudentMarks]) -> dict[str, float]:
    """Return the final points of each student without open answers, after the penalty. Return {} if
    nobody has given a mark or has a penalty.
    """
    if not any(mark.by_hand or mark.penalty for mark in marks.values()):
        return {}
    return {student: mark.total for student, mark in marks.items() if not mark.waiting}


def _sections(people: list[Person]) -> dict[str, str]:
    """Return each student's section. If a student is listed several times, the first entry with a
    section counts.
    """
    return {
        person.student: person.section.strip()
        for person in reversed(people)
        if person.section.strip()
    }


def _late(sources: Sources, assignment: str, marks: Mapping[str, StudentMarks]) -> dict[str, Late]:
    """Return the late penalties in the gradebook. The sentence explains the calculation, or only
    states the penalty if the course's late policy now gives a different one.
    """
    late = None
    if sources.gradebook and sources.course:
        late = read_lateness(sources.gradebook, sources.course, assignment)
    penalties = {}
    for student, mark in marks.items():
        sentence = late.explanation(student, mark.penalty) if late else ""
        if mark.penalty:
            sentence = (
                sentence
                or f"The gradebook takes {points_text(mark.penalty)} points for being late."
            )
        if sentence:
            penalties[student] = Late(mark.penalty, sentence)
    return penalties


def _look_alikes(folder: Path) -> tuple[LookAlikes | None, str]:
    """Return the result of `look-alikes`, None if it did not run, and the reason if its file cannot
    be read.
    """
    try:
        return read_look_alikes(folder), ""
    except AutograderError as error:
        return None, str(error)
