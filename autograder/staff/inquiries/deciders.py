"""Who decides each inquiry: one of the course's markers, and never one who has marked the answer."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from autograder.gradebook.inquiries import Name
from autograder.staff.marking.given import GivenMark
from autograder.staff.marking.shares import ANSWER, split

Markers = Mapping[Name, frozenset[str]]  # by student and exercise


def markers_by_answer(given: Iterable[GivenMark]) -> Markers:
    """Return who has given a mark for each answer, also for an earlier version of it. Of a mark
    that was given in formgrader, nobody is known.
    """
    found: dict[Name, set[str]] = defaultdict(set)
    for mark in given:
        found[mark.student, mark.exercise].add(mark.marker)
    return {name: frozenset(markers) for name, markers in found.items()}


def has_marked(who: str, name: Name, marked: Markers) -> bool:
    """Whether `who` has marked this answer. Upper and lower case are the same."""
    return who.casefold() in {one.casefold() for one in marked.get(name, ())}


def deciders(
    assignment_id: str, inquiries: Iterable[Name], markers: Sequence[str], marked: Markers
) -> dict[Name, str]:
    """Return who decides each inquiry; "" where nobody may: all of the course's `markers` have
    marked the answer, or there are none.

    `inquiries`: all about the assignment, so that everybody gets about as many.
    """
    names = sorted(inquiries)
    if not markers:
        return dict.fromkeys(names, "")
    ranks = split(assignment_id, names, len(markers), ANSWER)
    return {
        name: next(
            (markers[k - 1] for k in ranks[name] if not has_marked(markers[k - 1], name, marked)),
            "",
        )
        for name in names
    }
