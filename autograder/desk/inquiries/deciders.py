"""Choose the decider of an inquiry, a marker who has not marked the answer, and count the
inquiries about each marker's marks.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from autograder.classroom.groups import Groups
from autograder.desk.marking.given import read_given
from autograder.engine import files
from autograder.gradebook.inquiries import Inquiry, Name

Markers = Mapping[Name, Collection[str]]  # by student and exercise
Counts = tuple[str, str, int, int, int]  # kind, name, inquiries, answered, changed
UNKNOWN = "nobody that is known (the checks, formgrader, or not at all)"


def read_markers(results: Path, assignment_id: str, groups: Groups) -> Markers:
    """Return the markers of each answer by student and exercise, including markers of earlier
    versions. Marks given only in formgrader are not included, because it does not record the
    marker.

    `results`: the folder of all results. `groups`: a marker of a group counts as a marker of its
    members, and the other way round. Raises `OSError` if the records cannot be read.
    """
    markers: dict[Name, set[str]] = {}
    for mark in read_given(results, assignment_id):
        ids = groups.by_student.get(mark.student, ())
        for student in {mark.student, *groups.members(mark.student), *ids}:
            markers.setdefault((student, mark.exercise), set()).add(mark.marker)
    return markers


def has_marked(person: str, name: Name, marked: Markers) -> bool:
    """Whether a person has marked an answer, ignoring upper and lower case in names."""
    return person.casefold() in {marker.casefold() for marker in marked.get(name, ())}


def decider(assignment_id: str, inquiry: Name, markers: Iterable[str], marked: Markers) -> str:
    """Return the marker who decides an inquiry and has not marked its answer, or "" if all have.

    More inquiries do not move an inquiry to another person. Each marker gets about as many
    (rendezvous hashing).
    """
    free = [marker for marker in markers if not has_marked(marker, inquiry, marked)]
    weights = {
        marker: files.digest_of("decider", assignment_id, inquiry, marker.casefold())
        for marker in free
    }
    return max(free, key=lambda marker: weights[marker], default="")


def inquiry_counts(inquiries: Sequence[Inquiry], marked: Markers) -> list[Counts]:
    """Return rows for all inquiries ("all", ""), for each exercise ("exercise", id) and for each
    marker ("marker", name) of an answer, with the numbers of inquiries, answers and changed points.

    An answer with two markers counts for both, an answer without a known marker for UNKNOWN.
    """
    received, answered, changed = (Counter[tuple[str, str]]() for _ in range(3))
    for inquiry in inquiries:
        markers = [("marker", name) for name in marked.get(inquiry.about, ()) or [UNKNOWN]]
        keys = [("all", ""), ("exercise", inquiry.exercise), *markers]
        received.update(keys)
        if inquiry.answer:
            answered.update(keys)
            changed.update(keys if inquiry.answer.is_change else ())
    return [(*key, received[key], answered[key], changed[key]) for key in sorted(received)]
