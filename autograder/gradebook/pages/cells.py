"""Turn the cells of a notebook into plain values and sanitised HTML for the page templates.

Templates get a notebook's content only through this module.
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
MAX_ADDED = 500  # cells that a student added. Marked cells are always shown
MIMES = "image/png", "image/jpeg", "text/plain"  # in order of preference
KINDS = {"code": "code", "markdown": "markdown"}  # other kinds are shown as plain text


@dataclass(frozen=True)
class ShownCell:
    """A cell as a page template shows it."""

    kind: str  # code, markdown or raw
    name: str  # nbgrader's `grade_id`, or empty
    answer: bool  # a student writes here
    task: bool
    graded: bool
    added: bool  # the student made this cell
    folded: bool  # in a notebook, its code is folded away
    heading: str  # heading of the assignment above the cell
    score: float
    points: float
    body: Markup
    outputs: list[Markup]
    comment: Markup
    unanswered: bool  # a manually graded answer without a response

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
    """Return the notebook's cells for the page (a Jinja filter). `context`: of the rendered page."""
    pristine = pristine_of(context["resources"])
    budget = Budget(Pictures(pristine.folder, pristine.figures))
    blocks_by_exercise = shown_blocks(context, notebook)
    tables = {courses.CHECK + id: as_html(blocks) for id, blocks in blocks_by_exercise.items()}
    return in_one_process(
        lambda: [_shown(cell, pristine, budget, tables) for cell in _kept(notebook.cells, pristine)]
    )


@pass_context
def shown_blocks(context: Context, notebook: Any) -> dict[str, ExerciseBlocks]:
    """Return the verdict in the notebook as blocks by exercise (a Jinja filter), {} without a
    verdict.

    A feedback page gets the blocks for students, formgrader those for staff, according to
    `context`.
    """
    verdict = verdict_in(notebook)
    is_feedback = "nbgrader" in context["resources"]  # missing on formgrader's pages
    return verdict_blocks(verdict, "student" if is_feedback else "staff") if verdict else {}


def notes_on_all(notebook: Any) -> list[Sentence]:
    """Return the notes for staff on the whole submission (a Jinja filter for formgrader's page)."""
    verdict = verdict_in(notebook)
    return general_notes(verdict) if verdict else []


def _kept(cells: list, pristine: Pristine) -> Iterator[Mapping]:
    """Yield cells of the assignment, at most MAX_ADDED added cells, and a note on omitted cells."""
    added = 0
    for cell in cells:
        is_added = _is_added(cell, pristine)
        added += is_added
        if added <= MAX_ADDED or not is_added:
            yield cell
    if added > MAX_ADDED:
        text = f"{added - MAX_ADDED:,} more cells that the student added are not shown."
        yield {"cell_type": "raw", "source": text}


def _is_added(cell: Mapping, pristine: Pristine) -> bool:
    """Whether the student added this cell. Its id is not in the release."""
    if pristine.cells is None:
        return "nbgrader" not in _mapping(cell.get("metadata"))
    return cell.get("id") not in pristine.cells


def _shown(
    cell: Mapping, pristine: Pristine, budget: Budget, tables: Mapping[str, Markup]
) -> ShownCell:
    """Return a cell for the page. `tables`: results of checks as HTML, by cell name."""
    kind = KINDS.get(cell.get("cell_type", ""), "terminal")
    metadata = _mapping(cell.get("metadata"))
    role = _mapping(metadata.get("nbgrader"))
    name = role.get("grade_id")
    has_name = isinstance(name, str) and NAME.fullmatch(name) is not None
    graded = has_name and role.get("grade") is True
    answer = has_name and role.get("solution") is True
    attachments = _mapping(cell.get("attachments"))
    comment = role.get("comment")
    comment_text = None if comment == NO_RESPONSE else comment
    check_table = tables.get(str(name)) if graded and not answer else None
    return ShownCell(
        kind="raw" if kind == "terminal" else kind,
        name=str(name) if has_name else "",
        answer=answer,
        task=has_name and role.get("task") is True,
        graded=graded,
        added=pristine.cells is not None and _is_added(cell, pristine),
        folded=_mapping(metadata.get("jupyter")).get("source_hidden") is True,
        heading=(pristine.cells or {}).get(cell.get("id"), ""),
        score=_number(role.get("score")),
        points=_number(role.get("points")),
        body=render(kind, _text(cell.get("source")), budget, attachments),
        outputs=[check_table] if check_table else list(_outputs(cell, budget)),
        # a budget of its own, so that a student's text cannot crowd out the marker's comment
        comment=render("markdown", _text(comment_text), Budget()) if comment_text else Markup(),
        unanswered=comment == NO_RESPONSE,
    )


def _outputs(cell: Mapping, budget: Budget) -> Iterator[Markup]:
    """Yield outputs of a code cell as HTML. HTML outputs of the student are never used."""
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
    """Yield a displayed output in the first of MIMES that it has. `data`: the output by MIME type."""
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
