"""Show good answers on feedback pages, if a course sets `c.GoodAnswers.show = True` in
`nbgrader_config.py`.
"""

from datetime import UTC, datetime

from traitlets import Bool
from traitlets.config import Configurable

from autograder.engine import Assignment
from autograder.gradebook.pages.schemes import Scheme, schemes


class GoodAnswers(Configurable):
    """The setting whether feedback pages show good answers, and what a student may see of them."""

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
        """Return, by cell name, the good answers (in their marking schemes) that a student with
        this `deadline` may see at the time `now`; {} before the deadline, or if the course shows
        none.

        Times are naive UTC. `deadline` None: there is none, and they are shown at once; `now` None:
        the present time. Only answers in text are returned, never solutions of code cells.
        """
        now = now or datetime.now(UTC).replace(tzinfo=None)
        if not self.show or (deadline is not None and now <= deadline):
            return {}
        return {name: one for name, one in schemes(assignment).items() if one.kind == "markdown"}
