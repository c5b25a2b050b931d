"""What `report` reads of a class: verdicts, roster, gradebook, submissions, look-alikes."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.classroom.find import NoSubmissions, find_submissions
from autograder.cli.sources import Sources
from autograder.engine.assignment import GraderError, UnknownAssignment, find_assignment
from autograder.engine.verdict import points_text
from autograder.gradebook.class_lateness import read_lateness
from autograder.gradebook.marks import StudentMarks, read_marks
from autograder.look_alikes_file import LookAlikes
from autograder.not_placed_file import read_not_placed, senders
from autograder.people import Person, read_roster
from autograder.platforms.grades import Results, read_results
from autograder.report.class_results import ClassResults
from autograder.report.example_lines import Key, example_lines
from autograder.report.look_alikes import LookAlikesError, read_look_alikes
from autograder.report.mistakes import mistakes_in

WORD_ENDS = re.compile(r"[\W_]+")
SHORTEST_WORD = 3  # letters of a name that may tell who somebody is


@dataclass(frozen=True)
class Penalty:
    """What the gradebook takes for being late."""

    points: float
    sentence: str


def gather(sources: Sources, roster: list[Person] | None) -> Iterator[ClassResults]:
    """Yield all that is known of each assignment.

    Where no roster is named, whoever is known in one of them is expected in all. Raises
    `ExportError`, `UnreadableGradebook`, `PolicyError`, `RosterError`, `OSError`.
    """
    ids = sources.assignments
    found = {id: read_results(sources.results, id) for id in ids}
    people = {id: _people(sources, id) if roster is None else roster for id in ids}
    known = [person for of_one in people.values() for person in of_one]
    expected = {person.student for person in known}
    if roster is None and len(ids) > 1:
        expected |= {one.student for of_one in found.values() for one in of_one.verdicts}
    for id in ids:
        not_placed = read_not_placed(sources.submitted, id)
        whose = frozenset(senders(not_placed, [*known, *map(Person, sorted(expected))]))
        one = _gather_one(found[id], people[id], frozenset(expected), sources)
        yield replace(one, not_placed=len(not_placed), senders=whose & expected)


def _people(sources: Sources, id: str) -> list[Person]:
    return list(read_roster(sources.submitted, id).values()) if sources.submitted.is_dir() else []


def _gather_one(
    found: Results, people: list[Person], expected: frozenset[str], sources: Sources
) -> ClassResults:
    id = found.assignment
    marks = read_marks(sources.gradebook, id) if sources.gradebook else {}
    names = {who: mark.name for who, mark in marks.items()} | {
        person.student: person.name for person in people if person.name
    }
    alike, alike_damaged = _look_alikes(found.folder)
    results = ClassResults(
        assignment=id,
        verdicts=found.verdicts,
        damaged=found.damaged,
        expected=expected,
        names=names,
        sections=_sections(people),
        late=_late(sources, id, marks),
        waiting={who: mark.waiting for who, mark in marks.items()} if marks else None,
        alike=alike,
        alike_damaged=alike_damaged,
    )
    return replace(results, examples=_examples(results, sources))


def _sections(people: list[Person]) -> dict[str, str]:
    """By student, as the first row that has one says it."""
    return {one.student: one.section.strip() for one in reversed(people) if one.section.strip()}


def _late(
    sources: Sources, assignment: str, marks: Mapping[str, StudentMarks]
) -> dict[str, Penalty]:
    """What the gradebook takes for being late, by student; why, if the course's rules say the same."""
    judged = {}
    if sources.gradebook and sources.course:
        judged = read_lateness(sources.gradebook, sources.course, assignment)
    found = {}
    for who, mark in marks.items():
        why = judged[who].explains(mark.penalty) if who in judged else ""
        if mark.penalty:
            why = why or f"The gradebook takes {points_text(mark.penalty)} points for being late."
        if why:
            found[who] = Penalty(mark.penalty, why)
    return found


def _look_alikes(folder: Path) -> tuple[LookAlikes | None, str]:
    try:
        return read_look_alikes(folder), ""
    except LookAlikesError as error:
        return None, str(error)


def _examples(results: ClassResults, sources: Sources) -> dict[Key, str]:
    """Lines of code, where course and submissions are there."""
    if sources.course is None:
        return {}

    def private(student: str) -> list[str]:
        words = WORD_ENDS.split(f"{student} {results.names.get(student, '')}")
        return [word for word in words if len(word) >= SHORTEST_WORD]

    wanted = [(mistake.exercise, mistake.id) for mistake in mistakes_in(results)]
    top = sources.submitted
    try:
        assignment = find_assignment(results.assignment, sources.course)
        notebooks = find_submissions(top, assignment)
        return example_lines(assignment, wanted, results.verdicts, notebooks, top, private)
    except (UnknownAssignment, NoSubmissions, GraderError, OSError) as error:
        sources.without.append(f"No example of code for {results.assignment}: {error}")
        return {}
