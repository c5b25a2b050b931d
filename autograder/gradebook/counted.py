"""The verdict that counts for each student of an assignment: of the newest submission, or of another one.

What counts is chosen in `counting.py`; here is read what that needs.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from autograder.engine.history import Dated, read_dated_history
from autograder.engine.results import ResultsFolder
from autograder.gradebook.counting import Candidate, Choice, which_counts
from autograder.gradebook.late import LateRules
from autograder.gradebook.late_files import NEWEST
from autograder.gradebook.late_policy import HandIn

if TYPE_CHECKING:
    from autograder.gradebook.nbgrader_course import NbgraderCourse
    from autograder.gradebook.opened_later import OpenedLater


class Counted:
    """Says which verdict counts; the gradebook is read when the newest may not be the one."""

    def __init__(
        self, course: NbgraderCourse | OpenedLater, results: ResultsFolder, rules: LateRules
    ):
        self.course = course
        self.results = results
        self.assignment = results.assignment
        self.rules = rules
        self.choices: dict[str, Choice] = {}  # by student, of those who have several submissions
        self.hand_ins: dict[str, list[HandIn]] | None = None
        self.due: datetime | None = None

    def of(self, newest: Dated) -> Dated:
        """Return the verdict that counts for a student whose newest one this is, and when its submission
        was handed in. Raises `PolicyError`, `SQLAlchemyError`.
        """
        student = newest.verdict.student
        said = self.rules.counts.get((student, self.assignment.id))
        may_be_another = said or self.rules.policy.counts != NEWEST
        if newest.verdict.state != "graded" or not may_be_another:
            return newest
        by_submission = {newest.verdict.stamp.submission: newest}
        history = read_dated_history(self.results.results, self.assignment.id, student)
        for one in reversed(history):  # of each submission the last verdict
            if one.verdict.state == "graded":
                by_submission.setdefault(one.verdict.stamp.submission, one)
        if len(by_submission) < 2:
            return newest
        candidates = [
            Candidate(hash, one.submitted, one.verdict.points, one is newest)
            for hash, one in by_submission.items()
        ]
        hand_in, others = self._facts(student)
        choice = which_counts(candidates, hand_in, self.rules.policy, said, others)
        self.choices[student] = choice
        return by_submission[choice.candidate.submission]

    @property
    def others(self) -> dict[str, str]:
        """The submissions that count and are not the newest, by student."""
        return {
            student: choice.candidate.submission
            for student, choice in self.choices.items()
            if not choice.candidate.is_newest
        }

    def why(self, student: str) -> str:
        """Return why another submission than the newest counts; "" where the newest does."""
        choice = self.choices.get(student)
        return choice.sentence if choice else ""

    def _facts(self, student: str) -> tuple[HandIn, list[HandIn]]:
        """What is known of the assignment for a student, and of what counts elsewhere."""
        id = self.assignment.id
        if self.hand_ins is None:
            self.hand_ins = self.course.hand_ins(self.assignment, self.rules)
            self.due = self.course.due_dates(self.assignment).get(id)
        known = self.hand_ins.get(student, [])
        for one in known:
            if one.assignment == id:
                return one, known
        until = self.rules.extended_until((student, id), self.due, None)
        points = sum(cell.points for cell in self.assignment.cells)
        return HandIn(id, None, self.due, points, until), known
