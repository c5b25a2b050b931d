"""Help beside manually graded answers, in formgrader and on feedback pages with good answers."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup
from sqlalchemy.orm import Session
from traitlets.config import Config

from autograder.engine import Assignment
from autograder.gradebook.pages.details import DETAILS
from autograder.gradebook.pages.exporters import PageExporter
from autograder.gradebook.pages.pictures import Pictures
from autograder.gradebook.pages.pristine import assignment_of
from autograder.gradebook.pages.render import Budget, render
from autograder.gradebook.pages.schemes import Scheme, schemes
from autograder.gradebook.sync.answers import earlier_answers
from autograder.gradebook.sync.own_tables import MarkedAnswer


@dataclass(frozen=True)
class MarkingHelp:
    """Help for a cell: marking scheme, answer with full marks, and earlier marked answer."""

    kind: str = "markdown"
    scheme: Markup = Markup()
    answer: Markup = Markup()
    earlier: Markup = Markup()  # the marked answer, if it has been replaced
    earlier_points: float | None = None
    earlier_comment: Markup = Markup()


def exporter_for_staff(db: Session, config: Config) -> PageExporter:
    """Return the exporter for formgrader's pages, with a filter on this open gradebook."""
    exporter = PageExporter(config=config)
    exporter.register_filter("earlier_answers", partial(earlier_answers, db))
    return exporter


@pass_context
def marking_help(
    context: Context, notebook: Any, earlier: Mapping[str, MarkedAnswer] = {}
) -> dict[str, MarkingHelp]:
    """Return the help for each cell, by cell name (a Jinja filter).

    `context`: of the rendered page. `earlier`: marked answers that have changed since, by cell
    name. On a feedback page, return only good answers that the student may see.
    """
    resources = context["resources"]
    assignment = assignment_of(resources)
    if "nbgrader" in resources:  # on feedback pages only
        details = resources["nbgrader"].get(DETAILS)
        return _rendered(details.good_answers, assignment) if assignment and details else {}
    help_by_cell = rendered_schemes(assignment) if assignment else {}
    for name, answer in earlier.items():
        cell_help = help_by_cell.get(name, MarkingHelp())
        help_by_cell[name] = replace(
            cell_help,
            earlier=render(cell_help.kind, answer.text, Budget()),
            earlier_points=(answer.points or 0.0) + (answer.extra or 0.0)
            if answer.has_points
            else None,
            earlier_comment=render("markdown", answer.comment or "", Budget()),
        )
    return help_by_cell


def rendered_schemes(assignment: Assignment) -> dict[str, MarkingHelp]:
    """Return marking schemes as HTML, by cell name. {} if the source cannot be read."""
    return _rendered(schemes(assignment), assignment)


def _rendered(
    schemes_by_cell: Mapping[str, Scheme], assignment: Assignment
) -> dict[str, MarkingHelp]:
    pictures = Pictures(assignment.source.parent)
    return {
        name: MarkingHelp(
            scheme.kind,
            render(scheme.kind, scheme.scheme, Budget(pictures)),
            render(scheme.kind, scheme.answer, Budget(pictures)) if scheme.answer else Markup(),
        )
        for name, scheme in schemes_by_cell.items()
    }
