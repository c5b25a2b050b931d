"""What stands on top of a student's page: each exercise with its points and what to know about it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jinja2 import pass_context
from jinja2.runtime import Context

from autograder.engine.verdict import ExerciseResult, Verdict
from autograder.gradebook.check_cell import STATES
from autograder.gradebook.notebooks import WHY, verdict_in
from autograder.gradebook.pages.cells import ShownCell
from autograder.gradebook.pages.details import DETAILS, Details
from autograder.times import time_text

NO_ANSWER = "no answer"
LEAST = 1e-6  # points are sums of binary fractions


@dataclass(frozen=True)
class Line:
    """One exercise of the summary. `mark`: full, part, none, open or nothing, where it has no points."""

    cell: ShownCell
    mark: str
    score: float
    points: float
    state: str  # in words, where it is not plainly answered
    sentences: list[str]  # what was wrong: the mistakes that are known, else the first question
    gone: list[str]  # mistakes of an earlier submission
    changed: float | None  # what the checks gave, where a person gave something else
    has_comment: bool

    @property
    def answered(self) -> bool:
        """Whether the page shows it unfolded: there is an answer, or a person said something."""
        is_empty = self.state in (STATES["not_attempted"], NO_ANSWER)
        return not is_empty or self.has_comment or self.changed is not None


@dataclass(frozen=True)
class Summary:
    """The top of the page."""

    title: str
    score: float
    max_score: float
    penalty: float
    details: Details
    lines: list[Line]
    repairs: list[str]
    why: str  # it is this submission that counts, and not the newest

    @property
    def handed_in(self) -> str:
        return time_text(self.details.submitted) if self.details.submitted else ""

    @property
    def by_cell(self) -> dict[str, Line]:
        return {line.cell.name: line for line in self.lines}

    @property
    def open(self) -> list[Line]:
        """The exercises that nobody has marked yet."""
        return [line for line in self.lines if line.mark == "open"]

    @property
    def open_points(self) -> float:
        return sum(line.points - line.score for line in self.open)


@pass_context
def summary(context: Context, cells: list[ShownCell], notebook: Any) -> Summary:
    """Return the summary of the page that is being made (a filter of Jinja's), of its cells, which
    know their checks.
    """
    got: Mapping[str, Any] = context["resources"]["nbgrader"]
    details = got.get(DETAILS) or Details()
    verdict: Verdict | None = verdict_in(notebook)
    penalty = got["late_penalty"]
    return Summary(
        title=next((cell.heading for cell in cells if cell.heading), got["notebook"]),
        score=max(0.0, got["score"]),  # as `export` has it
        max_score=got["max_score"],
        penalty=min(penalty, got["score"] + penalty),
        details=details,
        lines=[_line(cell, details) for cell in cells if _is_listed(cell)],
        repairs=verdict.repairs if verdict else [],
        why=why if isinstance(why := notebook.metadata.get(WHY), str) else "",
    )


def _is_listed(cell: ShownCell) -> bool:
    """Whether the summary has a line for it: what has points, and what a person said something of."""
    marked = cell.checked_by or cell
    return bool(cell.name and not cell.is_shown_above and (marked.has_points or cell.comment))


def _line(cell: ShownCell, details: Details) -> Line:
    marked = cell.checked_by or cell
    result = marked.result
    automatic = details.automatic.get(marked.name)
    by_hand = marked.is_check and automatic is not None and abs(automatic - marked.score) > LEAST
    return Line(
        cell=cell,
        mark=_mark(marked, marked.name in details.waiting),
        score=marked.score,
        points=marked.points,
        state=STATES[result.state] if result else NO_ANSWER if cell.unanswered else "",
        sentences=_sentences(result) if result else [],
        gone=[mistake.sentence for mistake in result.gone] if result else [],
        changed=automatic if by_hand else None,
        has_comment=bool(cell.comment or marked.comment),
    )


def _mark(marked: ShownCell, waiting: bool) -> str:
    if not marked.has_points:
        return "nothing"
    if waiting:
        return "open"
    if marked.score >= marked.points - LEAST:
        return "full"
    return "part" if marked.score > LEAST else "none"


def _sentences(result: ExerciseResult) -> list[str]:
    """The mistakes that are known; where none is, the question of the first check that failed."""
    if result.mistakes:
        return [mistake.sentence for mistake in result.mistakes]
    asked = (check.message for check in result.checks if not check.passed)
    return [*filter(None, asked)][:1]
