"""The help that a page shows beside an answer marked by hand: in formgrader for staff; on a
student's page, if the course shows good answers.
"""

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
    """The help for one cell: its marking scheme, an answer with full marks, and the student's
    answer that was marked earlier.
    """

    kind: str = "markdown"
    scheme: Markup = Markup()
    answer: Markup = Markup()
    earlier: Markup = Markup()  # the answer that was marked, where there is another now
    earlier_points: float | None = None
    earlier_comment: Markup = Markup()


def exporter_for_staff(db: Session, config: Config) -> PageExporter:
    """Return the exporter for formgrader's pages, whose filter `earlier_answers` reads from this open
    gradebook the answers that were marked earlier.
    """
    exporter = PageExporter(config=config)
    exporter.register_filter("earlier_answers", partial(earlier_answers, db))
    return exporter


@pass_context
def marking_help(
    context: Context, notebook: Any, earlier: Mapping[str, MarkedAnswer] = {}
) -> dict[str, MarkingHelp]:
    """Return the help for each cell, by cell name (a Jinja filter).

    `context`: of the page that is rendered; `earlier`: answers that were marked and have
    changed since, by cell name. On a feedback page, return only the good answers that the
    student may see.
    """
    resources = context["resources"]
    assignment = assignment_of(resources)
    if "nbgrader" in resources:  # which feedback has, and formgrader has not
        details = resources["nbgrader"].get(DETAILS)
        return _rendered(details.good_answers, assignment) if assignment and details else {}
    made = rendered_schemes(assignment) if assignment else {}
    for name, was in earlier.items():
        given = made.get(name, MarkingHelp())
        made[name] = replace(
            given,
            earlier=render(given.kind, was.text, Budget()),
            earlier_points=(was.points or 0.0) + (was.extra or 0.0) if was.has_points else None,
            earlier_comment=render("markdown", was.comment or "", Budget()),
        )
    return made


def rendered_schemes(assignment: Assignment) -> dict[str, MarkingHelp]:
    """Return the assignment's marking schemes as HTML, by cell name; {} if its source cannot be
    read.
    """
    return _rendered(schemes(assignment), assignment)


def _rendered(found: Mapping[str, Scheme], assignment: Assignment) -> dict[str, MarkingHelp]:
    """Return these marking schemes as HTML, by cell name."""
    pictures = Pictures(assignment.source.parent)
    return {
        name: MarkingHelp(
            one.kind,
            render(one.kind, one.scheme, Budget(pictures)),
            render(one.kind, one.answer, Budget(pictures)) if one.answer else Markup(),
        )
        for name, one in found.items()
    }
