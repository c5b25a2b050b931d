"""What stands beside an answer that a person marks: in formgrader, and on a student's page where the
course shows good answers.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup
from sqlalchemy.orm import Session

from autograder.engine.assignment import Assignment
from autograder.gradebook.answers import earlier_texts
from autograder.gradebook.exporters import PageExporter
from autograder.gradebook.pages.details import DETAILS
from autograder.gradebook.pages.pristine import assignment_of
from autograder.gradebook.pages.render import Budget, render
from autograder.gradebook.schemes import Scheme, schemes

EARLIER = "autograder_earlier"  # the key in the page's resources


@dataclass(frozen=True)
class MarkingHelp:
    """For one cell: its scheme, an answer with full marks, and what was marked before."""

    kind: str = "markdown"
    scheme: Markup = Markup()
    answer: Markup = Markup()
    earlier: Markup = Markup()  # the answer that the mark was given for, where there is another now
    earlier_points: float = 0.0


class PageForStaff(PageExporter):
    """Makes formgrader's page of a submission, with what its gradebook knows of earlier answers."""

    def __init__(self, db: Session, **options: Any):
        super().__init__(**options)
        self.db = db

    def from_filename(self, filename: str, resources: dict | None = None, **options: Any) -> tuple:
        """Return the page and its resources, as nbconvert does."""
        known = dict(resources or {})
        known[EARLIER] = earlier_texts(self.db, known.get("submission_id", ""))
        return super().from_filename(filename, resources=known, **options)


@pass_context
def marking_help(context: Context, notebook: Any) -> dict[str, MarkingHelp]:
    """Return by cell what helps to mark it (a filter of Jinja's); on a page of feedback, the good
    answers that the student may see.
    """
    resources = context["resources"]
    assignment = assignment_of(resources)
    if "nbgrader" in resources:  # which feedback has, and formgrader has not
        details = resources["nbgrader"].get(DETAILS)
        return _rendered(details.good_answers, assignment) if assignment and details else {}
    made = rendered_schemes(assignment) if assignment else {}
    for name, (points, text) in _earlier(resources).items():
        given = made.get(name, MarkingHelp())
        was = render(given.kind, text, Budget())
        made[name] = replace(given, earlier=was, earlier_points=points)
    return made


def rendered_schemes(assignment: Assignment) -> dict[str, MarkingHelp]:
    """Return the schemes of an assignment as HTML, by cell; none while its source cannot be read."""
    return _rendered(schemes(assignment), assignment)


def _rendered(found: Mapping[str, Scheme], assignment: Assignment) -> dict[str, MarkingHelp]:
    folders = [str(assignment.source.parent)]
    return {
        name: MarkingHelp(
            one.kind,
            render(one.kind, one.scheme, Budget(folders)),
            render(one.kind, one.answer, Budget(folders)) if one.answer else Markup(),
        )
        for name, one in found.items()
    }


def _earlier(resources: Mapping) -> Mapping[str, tuple[float, str]]:
    return resources.get(EARLIER, {})
