"""Grade earlier submissions that may count, from the notebooks stored by `collect`."""

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
    """A work item on an earlier submission, with its time (naive UTC)."""

    submitted: datetime | None = None


class EarlierGrading:
    """Grades earlier submissions after the newest. Changed verdicts are only proposed."""

    def __init__(self, run: ClassRun, may_count: Callable[[str], bool] | None):
        """`may_count`: whether a student's or group's earlier submission may count."""
        self.run = run
        self.may_count = may_count
        self.count = 0  # of first verdicts
        self.failed: list[str] = []  # students
        self.changes: list[ChangeRow] = []  # by the proposed verdicts
        self.proposed: list[tuple[Graded, datetime | None]] = []

    def items(self) -> Iterator[EarlierItem]:
        """Yield a work item for each submission that may count and has no current verdict.
        Submissions without a trustworthy time never count. Submissions with the same cells share a
        verdict. Raises `AutograderError` if the records of `collect` cannot be read, `OSError` if
        results cannot be written.
        """
        run, assignment, may_count = self.run, self.run.settings.assignment, self.may_count
        read = partial(read_notebook, run.top)
        checked: set[tuple[str, str]] = set()
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
            if has_newest or (student, submission) in checked:
                continue
            checked.add((student, submission))
            previous = self._verdict(student, submission)
            if previous and not run.regrade and self._is_current(previous):
                continue
            task = Task(student, f"{assignment.id}.ipynb", read(file))
            yield EarlierItem(
                student, grade, (run.settings_for(previous), task), submitted=submitted
            )

    def record(self, item: EarlierItem, outcome: Outcome) -> None:
        """Write or propose the outcome of a work item. Raises `OSError`."""
        if not isinstance(outcome, Graded) or outcome.verdict.state == "not_graded":
            self.failed.append(item.student)
            return
        verdict = outcome.verdict
        previous = self._verdict(verdict.student, verdict.stamp.submission)
        if previous is None:
            self.run.results.put_earlier(outcome, item.submitted)
            self.count += 1
            return
        self.proposed.append((outcome, item.submitted))
        if change := change_between(previous, verdict):
            self.changes.append(change.row())

    def accept(self) -> None:
        """Replace earlier verdicts by the proposed verdicts. Raises `OSError`."""
        for graded, submitted in self.proposed:
            self.run.results.put_earlier(graded, submitted)
        self.proposed = []

    def _verdict(self, student: str, submission: str) -> Verdict | None:
        earlier = self.run.results.earlier(student)
        return next(
            (verdict for verdict in earlier if verdict.stamp.submission == submission), None
        )

    def _is_current(self, verdict: Verdict) -> bool:
        stamp = self.run.settings.stamp(verdict.stamp.submission, verdict.stamp.seed)
        return verdicts.is_current(verdict.stamp, stamp)
