"""Who decides each inquiry (one of the course's markers, never one who has marked the answer), and
how many there are of what each has marked.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from autograder.classroom.groups import Groups
from autograder.desk.marking.given import read_given
from autograder.engine import files
from autograder.gradebook.inquiries import Inquiry, Name

Markers = Mapping[Name, Collection[str]]  # by student and exercise
Counts = tuple[str, str, int, int, int]  # by what, its name; inquiries, answered, changed
UNKNOWN = "nobody that is known (the checks, formgrader, or not at all)"


def read_markers(results: Path, assignment_id: str, groups: Groups) -> Markers:
    """Return, by student and exercise, who has given a mark for the answer, also for an earlier
    version of it. An answer that was marked only in formgrader is not included, since formgrader
    does not record who marks.

    `results`: the folder of all results; `groups`: whoever has marked a group has marked each of
    its members, and the other way round. Raises `OSError` if the file of marks cannot be read.
    """
    found: dict[Name, set[str]] = {}
    for mark in read_given(results, assignment_id):
        ids = groups.by_student.get(mark.student, ())
        for student in {mark.student, *groups.members(mark.student), *ids}:
            found.setdefault((student, mark.exercise), set()).add(mark.marker)
    return found


def has_marked(who: str, name: Name, marked: Markers) -> bool:
    """Whether the person `who` has marked the answer `name` (student and exercise), as
    `read_markers` knows it. Names are compared without regard to upper and lower case.
    """
    return who.casefold() in {one.casefold() for one in marked.get(name, ())}


def decider(assignment_id: str, inquiry: Name, markers: Iterable[str], marked: Markers) -> str:
    """Return who decides an inquiry: one of the course's `markers` who has not marked the answer;
    "" if all of them have. `marked`: as `read_markers` returns it.

    Other inquiries have no influence, so that none moves to another person when more come; of many,
    each marker gets about as many (rendezvous hashing).
    """
    free = [one for one in markers if not has_marked(one, inquiry, marked)]
    weights = {
        one: files.digest_of("decider", assignment_id, inquiry, one.casefold()) for one in free
    }
    return max(free, key=lambda one: weights[one], default="")


def inquiry_counts(inquiries: Sequence[Inquiry], marked: Markers) -> list[Counts]:
    """Return rows of (by what, name, number of inquiries, of those answered, of those with changed
    points): for all together ("all", ""), for each exercise ("exercise"), and for each marker
    ("marker") by what that person has marked; [] if there are no inquiries.

    An inquiry about an answer that two have marked counts for both; one about an answer of which no
    marker is known, for UNKNOWN.
    """
    asked, answered, changed = (Counter[tuple[str, str]]() for _ in range(3))
    for one in inquiries:
        markers = [("marker", who) for who in marked.get(one.about, ()) or [UNKNOWN]]
        keys = [("all", ""), ("exercise", one.exercise), *markers]
        asked.update(keys)
        if one.answer:
            answered.update(keys)
            changed.update(keys if one.answer.is_change else ())
    return [(*key, asked[key], answered[key], changed[key]) for key in sorted(asked)]
