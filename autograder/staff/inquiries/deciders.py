"""Who decides each inquiry (one of the course's markers, never one who has marked the answer), and
how many there are of what each has marked.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from autograder.gradebook.inquiries import Inquiry, Name
from autograder.staff.marking.given import read_given
from autograder.staff.marking.shares import ANSWER, split

Markers = Mapping[Name, Collection[str]]  # by student and exercise
Counts = tuple[str, str, int, int, int]  # by what, its name; inquiries, answered, changed
UNKNOWN = "nobody that is known (the checks, formgrader, or not at all)"


def read_markers(results: Path, assignment_id: str) -> Markers:
    """Return who has given a mark for each answer, also for an earlier version of it. Of a mark
    that was given in formgrader, nobody is known.

    `results`: the folder of all results. Raises `OSError`.
    """
    found: dict[Name, set[str]] = {}
    for mark in read_given(results, assignment_id):
        found.setdefault((mark.student, mark.exercise), set()).add(mark.marker)
    return found


def has_marked(who: str, name: Name, marked: Markers) -> bool:
    """Whether `who` has marked this answer. Upper and lower case are the same."""
    return who.casefold() in {one.casefold() for one in marked.get(name, ())}


def deciders(
    assignment_id: str, inquiries: Iterable[Name], markers: Sequence[str], marked: Markers
) -> dict[Name, str]:
    """Return who decides each inquiry; an inquiry that all of the course's `markers` have marked is
    not in it.

    `inquiries`: all about the assignment, so that everybody gets about as many.
    """
    ranks = split(assignment_id, sorted(inquiries), len(markers), ANSWER) if markers else {}
    free = {
        name: [markers[k - 1] for k in ranked if not has_marked(markers[k - 1], name, marked)]
        for name, ranked in ranks.items()
    }
    return {name: names[0] for name, names in free.items() if names}


def inquiry_counts(inquiries: Sequence[Inquiry], marked: Markers) -> list[Counts]:
    """Return the counts of all inquiries ("all", without a name), by exercise ("exercise") and by
    marker ("marker"); [] if there are none. An inquiry about what two have marked counts for both.
    """
    asked, answered, changed = (Counter[tuple[str, str]]() for _ in range(3))
    for one in inquiries:
        markers = [("marker", who) for who in marked.get(one.name, ()) or [UNKNOWN]]
        keys = [("all", ""), ("exercise", one.exercise), *markers]
        asked.update(keys)
        if one.answer:
            answered.update(keys)
            changed.update(keys if one.answer.is_change else ())
    return [(*key, asked[key], answered[key], changed[key]) for key in sorted(asked)]
