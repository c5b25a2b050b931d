"""Show good answers on feedback pages, with `c.GoodAnswers.show = True` in `nbgrader_config.py`."""

from datetime import UTC, datetime

from traitlets import Bool
from traitlets.config import Configurable

from autograder.engine import Assignment
from autograder.gradebook.pages.schemes import Scheme, schemes


class GoodAnswers(Configurable):
    """The setting for good answers on feedback pages."""

    show = Bool(
        False,
        help="show students what a good answer says: below each answer that a person marks, the sample "
        "answer and the marking scheme. On pages that are made after the student's own deadline (due "
        "date or extension, and grace); without a due date, on all. Whoever may still hand in late "
        "can read it: make these pages when nobody may",
    ).tag(config=True)

    def of(
        self, assignment: Assignment, deadline: datetime | None, now: datetime | None = None
    ) -> dict[str, Scheme]:
        """Return good answers with their marking schemes, by cell name, for a student with this
        deadline at the time `now`. {} before the deadline, or if the course shows none.

        Times are naive UTC. Without a `deadline`, answers are shown at once. Only answers in text
        are returned, never solutions of code cells.
        """
        now = now or datetime.now(UTC).replace(tzinfo=None)
        if not self.show or (deadline is not None and now <= deadline):
            return {}
        return {
            name: scheme
            for name, scheme in schemes(assignment).items()
            if scheme.kind == "markdown"
        }
