"""Turn the cells of a notebook into plain values and sanitised HTML for the page templates.

A notebook's content reaches a template in no other way.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from autograder.classroom.blocks.html import as_html
from autograder.classroom.blocks.verdict_blocks import (
    ExerciseBlocks,
    Sentence,
    general_notes,
    verdict_blocks,
)
from autograder.engine import Pattern, courses
from autograder.gradebook.pages.pictures import Pictures
from autograder.gradebook.pages.pristine import Pristine, pristine_of
from autograder.gradebook.pages.render import Budget, in_one_process, render
from autograder.gradebook.sync.entering import NO_RESPONSE
from autograder.gradebook.sync.notebooks import verdict_in

NAME = Pattern(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,199}")
MAX_ADDED = 500  # cells of the student's own; what staff mark is always there
MIMES = "image/png", "image/jpeg", "text/plain"  # the first one that there is is shown
KINDS = {"code": "code", "markdown": "markdown"}  # anything else is shown as the text that it is


@dataclass(frozen=True)
class ShownCell:
    """One cell as a page template shows it."""

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

    @property
    def has_points(self) -> bool:
        return self.graded or self.task

    @property
    def is_check(self) -> bool:
        return self.graded and not self.answer

    @property
    def exercise(self) -> str:
        return self.name.removeprefix(courses.CHECK) if self.is_check else self.name


@pass_context
def shown(context: Context, notebook: Any) -> list[ShownCell]:
    """Return the notebook's cells as the page shows them (a Jinja filter). `context`: of the page
    that is rendered.
    """
    pristine = pristine_of(context["resources"])
    budget = Budget(Pictures(pristine.folder, pristine.figures))
    found = shown_blocks(context, notebook)
    tables = {courses.CHECK + id: as_html(blocks) for id, blocks in found.items()}
    return in_one_process(
        lambda: [_shown(cell, pristine, budget, tables) for cell in _kept(notebook.cells, pristine)]
    )


@pass_context
def shown_blocks(context: Context, notebook: Any) -> dict[str, ExerciseBlocks]:
    """Return what the page shows of the verdict in the notebook, as blocks by exercise (a Jinja
    filter); {} if the notebook holds no verdict.

    On a feedback page the blocks are those for students, in formgrader those for staff; `context`
    tells which page it is.
    """
    verdict = verdict_in(notebook)
    is_feedback = "nbgrader" in context["resources"]  # which formgrader's page has not
    return verdict_blocks(verdict, "student" if is_feedback else "staff") if verdict else {}


def notes_on_all(notebook: Any) -> list[Sentence]:
    """Return the notes for staff on the whole submission (a Jinja filter for formgrader's page)."""
    verdict = verdict_in(notebook)
    return general_notes(verdict) if verdict else []


def _kept(cells: list, pristine: Pristine) -> Iterator[Mapping]:
    """Yield all cells of the assignment, and of those that the student added the first MAX_ADDED.
    If there were more, yield a last cell that says how many are left out.
    """
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
    """Whether the student added this cell: the release does not have its id."""
    if pristine.cells is None:
        return "nbgrader" not in _mapping(cell.get("metadata"))
    return cell.get("id") not in pristine.cells


def _shown(
    cell: Mapping, pristine: Pristine, budget: Budget, tables: Mapping[str, Markup]
) -> ShownCell:
    """Return a cell as the page shows it. `budget`: what may still be rendered on the page;
    `tables`: the results of checks as HTML, by cell name.
    """
    kind = KINDS.get(cell.get("cell_type", ""), "terminal")
    metadata = _mapping(cell.get("metadata"))
    role = _mapping(metadata.get("nbgrader"))
    name = role.get("grade_id")
    named = isinstance(name, str) and NAME.fullmatch(name) is not None
    graded = named and role.get("grade") is True
    answer = named and role.get("solution") is True
    attachments = _mapping(cell.get("attachments"))
    comment = role.get("comment")
    said = None if comment == NO_RESPONSE else comment
    found = tables.get(str(name)) if graded and not answer else None
    return ShownCell(
        kind="raw" if kind == "terminal" else kind,
        name=str(name) if named else "",
        answer=answer,
        task=named and role.get("task") is True,
        graded=graded,
        added=pristine.cells is not None and _is_added(cell, pristine),
        folded=_mapping(metadata.get("jupyter")).get("source_hidden") is True,
        heading=(pristine.cells or {}).get(cell.get("id"), ""),
        score=_number(role.get("score")),
        points=_number(role.get("points")),
        body=render(kind, _text(cell.get("source")), budget, attachments),
        outputs=[found] if found else list(_outputs(cell, budget)),
        # nothing that a student wrote takes what a person said its share of the page
        comment=render("markdown", _text(said), Budget()) if said else Markup(),
        unanswered=comment == NO_RESPONSE,
    )


def _outputs(cell: Mapping, budget: Budget) -> Iterator[Markup]:
    """Yield the outputs of a code cell as HTML: printed text, tracebacks and pictures. An output
    that is HTML itself is never used.

    `budget`: what the page may still use, reduced by each output; a text beyond it is shown as it
    was written (cut if it is long), after a sentence that says so; of a picture only that sentence
    is left.
    """
    outputs = cell.get("outputs") if cell.get("cell_type") == "code" else None
    for output in outputs if isinstance(outputs, list) else ():
        match output:
            case {"output_type": "stream", "text": text}:
                yield render("terminal", _text(text), budget)
            case {"output_type": "error", "traceback": lines}:
                yield render("terminal", "\n".join(_lines(lines)), budget)
            case {"output_type": "display_data" | "execute_result", "data": Mapping() as data}:
                yield from _displayed(data, budget)


def _displayed(data: Mapping, budget: Budget) -> Iterator[Markup]:
    """Yield, as HTML, a displayed output in the first of the MIME types in MIMES that it has;
    nothing if it has none of them. `data`: the output by MIME type; `budget`: what the page may
    still use.
    """
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
