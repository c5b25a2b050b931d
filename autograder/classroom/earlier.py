"""Grade submissions that are not the newest, where one of them may count: because the course or staff
say which counts, or because the newest cannot be read. `collect` keeps their notebooks.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from autograder.classroom.compare import ChangeRow, change_between
from autograder.classroom.pool import WorkItem
from autograder.classroom.records.received import earlier_notebooks, read_notebook
from autograder.classroom.run import ClassRun
from autograder.classroom.worker import Outcome, Task, grade
from autograder.engine import Graded, Verdict, verdicts


@dataclass
class EarlierItem(WorkItem):
    """A work item on an earlier submission, and when that was submitted (naive UTC)."""

    submitted: datetime | None = None


class EarlierGrading:
    """Grades the earlier submissions of a class run, after the newest ones. A new verdict where
    there is one is only proposed, as for the newest.
    """

    def __init__(self, run: ClassRun, may_count: Callable[[str], bool] | None):
        """`may_count`: whether an earlier submission of a student or group may count; None if none
        may.
        """
        self.run = run
        self.may_count = may_count
        self.count = 0  # of verdicts where there was none
        self.failed: list[str] = []  # students
        self.changes: list[ChangeRow] = []  # that the proposed verdicts make
        self.proposed: list[tuple[Graded, datetime | None]] = []

    def items(self) -> Iterator[EarlierItem]:
        """Yield a work item for each submission that may count and has no current verdict; without a
        time that can be trusted, none may. Several with the same cells, also those of the newest,
        have one verdict. Raises `AutograderError` if the records of `collect` cannot be read, `OSError`
        if results cannot be written.
        """
        run, assignment, may_count = self.run, self.run.settings.assignment, self.may_count
        read = partial(read_notebook, run.top)
        done: set[tuple[str, str]] = set()
        for student, file, submitted in (
            earlier_notebooks(run.top, assignment.id) if may_count else ()
        ):
            if submitted is None or not (may_count and may_count(student)):
                continue
            submission, newest = (
                run.seen.received(assignment, file, read),
                run.results.verdict(student),
            )
            has_newest = (
                newest and newest.state == "graded" and newest.stamp.submission == submission
            )
            if has_newest or (student, submission) in done:
                continue
            done.add((student, submission))
            before = self._verdict(student, submission)
            if before and not run.regrade and self._is_current(before):
                continue
            task = Task(student, f"{assignment.id}.ipynb", read(file))
            yield EarlierItem(student, grade, (run.settings_for(before), task), submitted=submitted)

    def record(self, item: EarlierItem, outcome: Outcome) -> None:
        """Write or propose the outcome of a work item. Raises `OSError` if results cannot be written."""
        if not isinstance(outcome, Graded) or outcome.verdict.state == "not_graded":
            self.failed.append(item.student)
            return
        verdict = outcome.verdict
        before = self._verdict(verdict.student, verdict.stamp.submission)
        if before is None:
            self.run.results.put_earlier(outcome, item.submitted)
            self.count += 1
            return
        self.proposed.append((outcome, item.submitted))
        if change := change_between(before, verdict):
            self.changes.append(change.row())

    def accept(self) -> None:
        """Put all proposed verdicts in the place of the earlier ones. Raises `OSError` if results
        cannot be written.
        """
        for graded, submitted in self.proposed:
            self.run.results.put_earlier(graded, submitted)
        self.proposed = []

    def _verdict(self, student: str, submission: str) -> Verdict | None:
        """Return the verdict on an earlier submission; None if there is none."""
        earlier = self.run.results.earlier(student)
        return next((one for one in earlier if one.stamp.submission == submission), None)

    def _is_current(self, verdict: Verdict) -> bool:
        stamp = self.run.settings.stamp(verdict.stamp.submission, verdict.stamp.seed)
        return verdicts.is_current(verdict.stamp, stamp)
