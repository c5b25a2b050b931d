"""The cells of a notebook as the templates show them: plain values, and HTML that is harmless.

Nothing that a notebook says reaches a template in another way.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from autograder.engine.assignment import (
    CHECK,
    Assignment,
    UnknownAssignment,
    figures_in,
    find_assignment,
)
from autograder.engine.course import CONFIG, NoCourse, read_course
from autograder.gradebook.pages.pictures import digest_of_address
from autograder.gradebook.pages.render import Budget, render
from autograder.gradebook.staff_notes import notes_html

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,199}")
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
    score: float
    points: float
    body: Markup
    outputs: list[Markup]
    comment: Markup
    notes: Markup  # for staff: formgrader's page alone may show them
    checked_by: "ShownCell | None" = None  # the check of this answer, where it is shown with it
    is_shown_above: bool = False  # this check's result, with the answer that it is about

    @property
    def has_points(self) -> bool:
        return self.graded or self.task

    @property
    def is_check(self) -> bool:
        return self.graded and not self.answer

    @property
    def exercise(self) -> str:
        return self.name.removeprefix(CHECK) if self.is_check else self.name


@pass_context
def shown(context: Context, notebook: Any) -> list[ShownCell]:
    """Return the cells of the notebook for the page that is being made (a filter of Jinja's)."""
    pristine = _pristine(context["resources"])
    budget = Budget(pristine.folders, pristine.figures)
    return [_shown(cell, pristine, budget) for cell in _kept(notebook.cells, pristine)]


def with_checks(cells: list[ShownCell]) -> list[ShownCell]:
    """Return the cells with each answer knowing its check: a student reads what was found first."""
    answers = {cell.name for cell in cells if cell.answer}
    checks = {cell.exercise: cell for cell in cells if cell.is_check and cell.exercise in answers}
    return [
        replace(
            cell,
            checked_by=checks.get(cell.name) if cell.answer else None,
            is_shown_above=checks.get(cell.exercise) is cell,
        )
        for cell in cells
    ]


@dataclass(frozen=True)
class Pristine:
    """What the assignment is made of: folders with pictures, figures, and the ids of its cells."""

    folders: list[str]
    figures: list[str]  # digests of those that the release holds
    cells: frozenset[str | None] | None  # None: there is no release to compare with


def _pristine(resources: Mapping) -> Pristine:
    """The release that belongs to the notebook of this page, in the nearest course above it."""
    assignment = assignment_of(resources)
    if assignment is None:
        return Pristine([], [], None)
    try:
        notebook = _notebook_of(assignment)
        changed = notebook.stat().st_mtime_ns
        own = _figures(notebook, changed)
        return Pristine([str(notebook.parent)], own, _ids(notebook, changed))
    except (OSError, ValueError):
        return Pristine([], [], None)


def assignment_of(resources: Mapping) -> Assignment | None:
    """Return the assignment that the page with these resources is about, if there is a course."""
    of_feedback = resources.get("nbgrader", {}).get("assignment")
    id = str(resources.get("assignment_id") or of_feedback)
    place = Path(resources["metadata"].get("path") or ".").absolute()
    for folder in (place, *place.parents):
        if (folder / CONFIG).is_file():
            try:
                return find_assignment(id, read_course(folder))
            except (NoCourse, UnknownAssignment, OSError, ValueError):
                return None
    return None


def _notebook_of(assignment: Assignment) -> Path:
    """The release; before there is one, the source, whose cells have the same ids."""
    return assignment.release if assignment.release.is_file() else assignment.source


@lru_cache(maxsize=8)
def _ids(notebook: Path, changed: int) -> frozenset[str | None]:
    return frozenset(cell.get("id") for cell in json.loads(notebook.read_bytes())["cells"])


@lru_cache(maxsize=8)
def _figures(notebook: Path, changed: int) -> list[str]:
    texts = (_text(cell.get("source")) for cell in json.loads(notebook.read_bytes())["cells"])
    return sorted(map(digest_of_address, figures_in(texts)))


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
        score=_number(role.get("score")),
        points=_number(role.get("points")),
        body=render(kind, _text(cell.get("source")), budget, attachments),
        outputs=list(_outputs(cell, graded and not answer, budget)),
        comment=render("markdown", _text(comment), Budget()) if comment else Markup(),
        notes=notes_html(metadata),
    )


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
