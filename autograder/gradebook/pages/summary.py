"""The summary at the top of a student's page, with a line for each exercise and its points."""

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
    """A line of the summary: an answer with its check, or another cell with points or a comment."""

    cell: ShownCell
    check: ShownCell | None  # of this answer
    blocks: ExerciseBlocks | None  # results of the check
    is_open: bool  # needs marking
    automatic: float | None  # points from the checks

    @property
    def title(self) -> str:
        """The heading above the exercise, else its id written as words."""
        return self.cell.heading or title(self.cell.exercise).capitalize()

    @property
    def marked(self) -> ShownCell:
        """The cell with the points: the check, else the answer."""
        return self.check or self.cell

    @property
    def mark(self) -> str:
        """Either "full", "part" or "none" of the points, "open", or "nothing"."""
        if not self.marked.has_points:
            return "nothing"
        if self.is_open:
            return "open"
        if self.marked.score >= self.marked.points - LEAST:
            return "full"
        return "part" if self.marked.score > LEAST else "none"

    @property
    def state(self) -> str:
        """The exercise's state in words, such as "no answer". "" if it was answered."""
        if self.blocks:
            return self.blocks.heading.state
        return "no answer" if self.cell.unanswered else ""

    @property
    def changed(self) -> bool:
        """Whether a person changed the points from the checks."""
        automatic = self.automatic if self.marked.is_check else None
        return automatic is not None and abs(automatic - self.marked.score) > LEAST

    @property
    def comments(self) -> list[Markup]:
        return [cell.comment for cell in (self.cell, self.check) if cell and cell.comment]

    @property
    def answered(self) -> bool:
        """Whether to unfold the exercise: attempted, commented, or with changed points."""
        is_attempted = self.blocks.heading.is_attempted if self.blocks else not self.cell.unanswered
        return bool(is_attempted or self.comments or self.changed)


@pass_context
def lines(
    context: Context, cells: list[ShownCell], blocks: Mapping[str, ExerciseBlocks]
) -> dict[str, SummaryLine]:
    """Return the lines of the summary, by cell name (a Jinja filter): a line for each cell with
    points or a comment. An answer and its check share a line.

    `context`: of the rendered page. `blocks`: results of checks, by exercise.
    """
    details = context["resources"]["nbgrader"].get(DETAILS) or Details()
    answers = {cell.name for cell in cells if cell.answer}
    checks = {cell.exercise: cell for cell in cells if cell.is_check and cell.exercise in answers}
    lines_by_cell = {}
    for cell in cells:
        if checks.get(cell.exercise) is cell:
            continue  # it shares the line of its answer
        check = checks.get(cell.name) if cell.answer else None
        marked = check or cell
        if cell.name and (marked.has_points or cell.comment):
            lines_by_cell[cell.name] = SummaryLine(
                cell,
                check,
                blocks=blocks.get(marked.exercise) if marked.is_check else None,
                is_open=marked.name in details.waiting,
                automatic=details.automatic.get(marked.name),
            )
    return lines_by_cell


def repairs(blocks: Mapping[str, ExerciseBlocks]) -> list[Sentence]:
    """Return the sentences on repairs before grading, of all exercises (a Jinja filter)."""
    return [sentence for exercise in blocks.values() for sentence in exercise.of_kind("repair")]


def with_own_headings(cells: list[ShownCell]) -> list[ShownCell]:
    """Return the cells without headings that several answers or tasks share (a Jinja filter)."""
    answers_below = Counter(cell.heading for cell in cells if cell.answer or cell.task)
    return [
        replace(cell, heading="") if answers_below[cell.heading] > 1 else cell for cell in cells
    ]
