"""The summary at the top of a student's page: a line for each exercise, with its points."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from autograder.classroom.blocks.verdict_blocks import ExerciseBlocks, Sentence, title
from autograder.gradebook.pages.cells import ShownCell
from autograder.gradebook.pages.details import DETAILS, Details

LEAST = 1e-6  # points are sums of binary fractions


@dataclass(frozen=True)
class SummaryLine:
    """A line of the summary: an answer with its check, or another cell that has points or a
    comment.
    """

    cell: ShownCell
    check: ShownCell | None  # of this answer
    blocks: ExerciseBlocks | None  # what the check found
    is_open: bool  # nobody has marked it yet
    automatic: float | None  # what the checks gave

    @property
    def title(self) -> str:
        """The heading above the exercise; without one, its id written as words."""
        return self.cell.heading or title(self.cell.exercise).capitalize()

    @property
    def marked(self) -> ShownCell:
        """The cell that has the points: the check or, if there is none, the answer."""
        return self.check or self.cell

    @property
    def mark(self) -> str:
        """ "full", "part" or "none" of the points; "open" if nobody has marked it yet; "nothing" for
        a cell without points.
        """
        if not self.marked.has_points:
            return "nothing"
        if self.is_open:
            return "open"
        if self.marked.score >= self.marked.points - LEAST:
            return "full"
        return "part" if self.marked.score > LEAST else "none"

    @property
    def state(self) -> str:
        """The exercise's state in words, such as "no answer"; "" if it was answered."""
        if self.blocks:
            return self.blocks.heading.state
        return "no answer" if self.cell.unanswered else ""

    @property
    def changed(self) -> bool:
        """Whether a person changed the points that the checks gave."""
        given = self.automatic if self.marked.is_check else None
        return given is not None and abs(given - self.marked.score) > LEAST

    @property
    def comments(self) -> list[Markup]:
        return [one.comment for one in (self.cell, self.check) if one and one.comment]

    @property
    def answered(self) -> bool:
        """Whether the page shows the exercise unfolded: the student attempted it, or a person
        commented on it or changed its points.
        """
        is_attempted = self.blocks.heading.is_attempted if self.blocks else not self.cell.unanswered
        return bool(is_attempted or self.comments or self.changed)


@pass_context
def lines(
    context: Context, cells: list[ShownCell], blocks: Mapping[str, ExerciseBlocks]
) -> dict[str, SummaryLine]:
    """Return the lines of the summary, by cell name (a Jinja filter): one for each cell with points
    or a comment; an answer and its check share one.

    `context`: of the page that is rendered; `blocks`: the results of checks, by exercise.
    """
    details = context["resources"]["nbgrader"].get(DETAILS) or Details()
    answers = {cell.name for cell in cells if cell.answer}
    checks = {cell.exercise: cell for cell in cells if cell.is_check and cell.exercise in answers}
    found = {}
    for cell in cells:
        if checks.get(cell.exercise) is cell:
            continue  # it stands with the answer that it is about
        check = checks.get(cell.name) if cell.answer else None
        marked = check or cell
        if cell.name and (marked.has_points or cell.comment):
            found[cell.name] = SummaryLine(
                cell,
                check,
                blocks=blocks.get(marked.exercise) if marked.is_check else None,
                is_open=marked.name in details.waiting,
                automatic=details.automatic.get(marked.name),
            )
    return found


def repairs(blocks: Mapping[str, ExerciseBlocks]) -> list[Sentence]:
    """Return the sentences on repairs made to the notebook before grading, of all exercises (a
    Jinja filter). `blocks`: by exercise.
    """
    return [one for of_one in blocks.values() for one in of_one.of_kind("repair")]


def with_own_headings(cells: list[ShownCell]) -> list[ShownCell]:
    """Return the cells; a heading above several answers or tasks is removed from all of them (a
    Jinja filter).
    """
    about = Counter(cell.heading for cell in cells if cell.answer or cell.task)
    return [replace(cell, heading="") if about[cell.heading] > 1 else cell for cell in cells]
