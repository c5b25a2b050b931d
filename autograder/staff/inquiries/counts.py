"""Count inquiries: how many there are, and how many changed points, by exercise and by marker."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from autograder.gradebook.inquiries import Inquiry
from autograder.staff.inquiries.deciders import Markers

UNKNOWN = "somebody in formgrader, or the checks"  # who that was is not known


@dataclass(frozen=True)
class InquiryCount:
    """How many inquiries are about one exercise, or about the marks of one person."""

    by: str  # "all", "exercise" or "marker"
    name: str  # of the exercise or the person
    asked: int
    answered: int
    changed: int


def inquiry_counts(inquiries: Sequence[Inquiry], marked: Markers) -> list[InquiryCount]:
    """Return the counts of all inquiries, then by exercise, then by marker; [] if there are none.

    `marked`: who has marked the answers. An inquiry about what two have marked counts for both.
    """
    exercises = sorted({one.exercise for one in inquiries})
    of = {one.name: marked.get(one.name) or {UNKNOWN} for one in inquiries}
    markers = sorted({marker for some in of.values() for marker in some})
    return [
        *([_count("all", "", inquiries)] if inquiries else []),
        *(_count("exercise", id, [i for i in inquiries if i.exercise == id]) for id in exercises),
        *(_count("marker", who, [i for i in inquiries if who in of[i.name]]) for who in markers),
    ]


def _count(by: str, name: str, inquiries: Iterable[Inquiry]) -> InquiryCount:
    answers = [one.answer for one in inquiries]
    given = [answer for answer in answers if answer]
    return InquiryCount(by, name, len(answers), len(given), sum(one.is_change for one in given))
