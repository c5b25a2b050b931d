"""Turn a student's inquiries into plain values for the templates of the student's page."""

from collections.abc import Iterator
from dataclasses import dataclass

from autograder.engine.verdict.verdict import points_text
from autograder.gradebook.inquiries import Inquiry, PageInquiries
from autograder.report.blocks.verdict_blocks import title
from autograder.text.printable import printable_lines
from autograder.text.times import time_text


@dataclass(frozen=True)
class ShownInquiry:
    """One inquiry as the student's page shows it. It does not say who decided."""

    exercise: str
    title: str  # for an exercise that the page does not have
    received: str
    text: str
    outcome: str = ""  # what was decided; "" while it is open
    reason: str = ""


def asked(of_page: PageInquiries | None) -> Iterator[ShownInquiry]:
    """Yield the student's inquiries, the first one first (a Jinja filter). `of_page`: None or
    undefined on a page that knows of none.
    """
    for one in sorted(of_page.asked, key=lambda one: one.received) if of_page else ():
        yield _shown(one)


def _shown(one: Inquiry) -> ShownInquiry:
    outcome, answer = "", one.answer
    if answer:
        old, new = points_text(answer.old_points), points_text(answer.new_points)
        what = f"Changed from {old} to {new}" if answer.is_change else f"Kept at {old}"
        outcome = f"{what} of {points_text(answer.max_points)} points."
    return ShownInquiry(
        one.exercise,
        title(one.exercise).capitalize(),
        time_text(one.received),
        printable_lines(one.text),
        outcome,
        printable_lines(answer.reason) if answer else "",
    )
