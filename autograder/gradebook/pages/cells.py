"""The cells of a notebook as the templates show them: plain values, and HTML that is harmless.

Nothing that a notebook says reaches a template in another way.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from autograder.engine.assignment import CHECK
from autograder.engine.verdict import ExerciseResult
from autograder.gradebook.entering import NO_RESPONSE
from autograder.gradebook.notebooks import verdict_in
from autograder.gradebook.pages.pristine import Pristine, pristine_of
from autograder.gradebook.pages.render import Budget, in_one_process, render
from autograder.gradebook.staff_notes import notes_html
from autograder.patterns import Pattern

NAME = Pattern(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,199}")
MAX_ADDED = 500  # cells of the student's own; what staff mark is always there
MAX_OUTPUTS = 1_000  # of one cell
MIMES = "image/png", "image/jpeg", "text/plain"  # the first one that there is is shown
KINDS = {"code": "code", "markdown": "markdown"}  # anything else is shown as the text that it is


@dataclass(frozen=True)
class ShownCell:
    """One cell of the page."""

    kind: str  # code, markdown or raw
    name: str  # nbgrader's `grade_id`; empty without one
    answer: bool  # a student writes here
    task: bool
    graded: bool
    added: bool  # the student made this cell
    folded: bool  # in a notebook, its code is folded away
    heading: str  # the one of the assignment's that it stands below
    score: float
    points: float
    body: Markup
    outputs: list[Markup]
    comment: Markup
    unanswered: bool  # of an answer that a person marks: nothing was written
    notes: Markup  # for staff: formgrader's page alone may show them
    result: ExerciseResult | None = None  # what was found, of a check
    checked_by: "ShownCell | None" = None  # the check of this answer, where it is shown with it
    is_shown_above: bool = False  # this check's result, with the answer that it is about

    @property
    def has_points(self) -> bool:
        return self.graded or self.task

    @property
    def is_check(self) -> bool:
        return self.graded and not self.answer

    @property
    def title(self) -> str:
        """The exercise as people call it."""
        return self.heading or self.exercise.replace("_", " ").capitalize()

    @property
    def exercise(self) -> str:
        return self.name.removeprefix(CHECK) if self.is_check else self.name


@pass_context
def shown(context: Context, notebook: Any) -> list[ShownCell]:
    """Return the cells of the notebook for the page that is being made (a filter of Jinja's)."""
    pristine = pristine_of(context["resources"])
    budget = Budget(pristine.folders, pristine.figures)
    verdict = verdict_in(notebook)
    results = {CHECK + result.id: result for result in verdict.exercises} if verdict else {}
    cells = in_one_process(
        lambda: [_shown(cell, pristine, budget) for cell in _kept(notebook.cells, pristine)]
    )
    return [
        replace(cell, result=results.get(cell.name)) if cell.is_check else cell for cell in cells
    ]


def with_checks(cells: list[ShownCell]) -> list[ShownCell]:
    """Return the cells with each answer knowing its check: a student reads what was found first.

    A heading names an exercise where it is about this one only.
    """
    answers = {cell.name for cell in cells if cell.answer}
    about = Counter(cell.heading for cell in cells if cell.answer or cell.task)
    checks = {cell.exercise: cell for cell in cells if cell.is_check and cell.exercise in answers}
    return [
        replace(
            cell,
            heading="" if about[cell.heading] > 1 else cell.heading,
            checked_by=checks.get(cell.name) if cell.answer else None,
            is_shown_above=checks.get(cell.exercise) is cell,
        )
        for cell in cells
    ]


def _kept(cells: list, pristine: Pristine) -> Iterator[Mapping]:
    """All cells of the assignment, and a student's own as far as a page can be read to its end."""
    added = 0
    for cell in cells:
        own = _is_added(cell, pristine)
        added += own
        if added <= MAX_ADDED or not own:
            yield cell
    if added > MAX_ADDED:
        text = f"{added - MAX_ADDED:,} more cells that the student added are not shown."
        yield {"cell_type": "raw", "source": text}


def _is_added(cell: Mapping, pristine: Pristine) -> bool:
    """Whether the student made this cell."""
    if pristine.cells is None:
        return "nbgrader" not in _mapping(cell.get("metadata"))
    return cell.get("id") not in pristine.cells


def _shown(cell: Mapping, pristine: Pristine, budget: Budget) -> ShownCell:
    kind = KINDS.get(cell.get("cell_type", ""), "terminal")
    metadata = _mapping(cell.get("metadata"))
    role = _mapping(metadata.get("nbgrader"))
    name = role.get("grade_id")
    named = isinstance(name, str) and NAME.fullmatch(name) is not None
    graded = named and role.get("grade") is True
    answer = named and role.get("solution") is True
    attachments = _mapping(cell.get("attachments"))
    comment = role.get("comment")
    return ShownCell(
        kind="raw" if kind == "terminal" else kind,
        name=str(name) if named else "",
        answer=answer,
        task=named and role.get("task") is True,
        graded=graded,
        added=pristine.cells is not None and _is_added(cell, pristine),
        folded=_mapping(metadata.get("jupyter")).get("source_hidden") is True,
        heading=pristine.heading(cell),
        score=_number(role.get("score")),
        points=_number(role.get("points")),
        body=render(kind, _text(cell.get("source")), budget, attachments),
        outputs=list(_outputs(cell, graded and not answer, budget)),
        comment=_comment(_text(comment)) if comment and comment != NO_RESPONSE else Markup(),
        unanswered=comment == NO_RESPONSE,
        notes=notes_html(metadata),
    )


def _comment(text: str) -> Markup:
    """What a person said: nothing that a student wrote takes its share of the page."""
    return render("markdown", text, Budget())


def _outputs(cell: Mapping, check: bool, budget: Budget) -> Iterator[Markup]:
    outputs = cell.get("outputs") if cell.get("cell_type") == "code" else None
    for output in outputs[:MAX_OUTPUTS] if isinstance(outputs, list) else ():
        match output:
            case {"output_type": "stream", "text": text}:
                yield render("terminal", _text(text), budget)
            case {"output_type": "error", "traceback": lines}:
                yield render("terminal", "\n".join(_lines(lines)), budget)
            case {"output_type": "execute_result"} if check:
                pass  # its points, for nbgrader: the page has them already
            case {"output_type": "display_data" | "execute_result", "data": data}:
                yield from _displayed(_mapping(data), check, budget)


def _displayed(data: Mapping, check: bool, budget: Budget) -> Iterator[Markup]:
    """What a cell showed. HTML is shown only below a check cell, where it is the examiner's: nothing
    that a student wrote takes its share.
    """
    if check and "text/html" in data:
        yield render("table", _text(data["text/html"]), Budget())
        return
    for mime in MIMES:
        if mime in data:
            kind = "terminal" if mime == "text/plain" else "picture"
            yield render(kind, _text(data[mime]), budget)
            return


def _mapping(value: object) -> Mapping:
    return value if isinstance(value, Mapping) else {}


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _lines(value: object) -> list[str]:
    return [str(line) for line in value] if isinstance(value, list) else [str(value)]


def _text(value: object) -> str:
    return "".join(_lines(value))
