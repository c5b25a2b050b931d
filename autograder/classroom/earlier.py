"""Grade submissions that are not the newest, where one of them may count: because the course or staff
say which counts, or because the newest cannot be read. `collect` keeps their notebooks.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from autograder.classroom.compare import ChangeRow, change_between
from autograder.classroom.files import FileRecord
from autograder.classroom.pool import WorkItem
from autograder.classroom.records.received import earlier_notebooks, read_notebook
from autograder.classroom.run import ClassRun
from autograder.classroom.worker import Task, grade
from autograder.engine.graded import Graded
from autograder.engine.notebook.submission import parse_submission
from autograder.engine.verdict.fingerprint import is_current
from autograder.engine.verdict.verdict import Verdict


@dataclass
class EarlierItem(WorkItem):
    """A work item on an earlier submission: the hash of its notebook, and when it was submitted
    (naive UTC; None if unknown).
    """

    file: str = ""
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
        time that can be trusted, none may. One with the cells of the newest has its verdict. Raises
        `AutograderError` if the records of `collect` cannot be read, `OSError` if results cannot be
        written.
        """
        run, id, may_count = self.run, self.run.settings.assignment.id, self.may_count
        for student, file, submitted in earlier_notebooks(run.top, id) if may_count else ():
            if submitted is None or not (may_count and may_count(student)):
                continue
            submission = self._submission(student, file)
            newest = run.results.verdict(student)
            if newest and newest.state == "graded" and newest.stamp.submission == submission:
                run.results.repeat_earlier(newest, submitted, file)
                continue
            before = self._verdict(student, submission)
            if before and not run.regrade and self._is_current(before):
                continue
            task = Task(student, f"{id}.ipynb", read_notebook(run.top, file))
            yield EarlierItem(
                student, grade, (run.settings_for(before), task), file=file, submitted=submitted
            )

    def keep(self, item: EarlierItem, outcome: object) -> None:
        """Write or propose the outcome of a work item: a result, or the exception that it raised.
        Raises `OSError` if results cannot be written.
        """
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

    def _submission(self, student: str, file: str) -> str:
        """Return the hash of the submission in a notebook, parsed once and then cached."""
        cached = self.run.seen.seen
        key = f"sha256:{file}"  # which can be no student's id
        if key not in cached:
            assignment, data = self.run.settings.assignment, read_notebook(self.run.top, file)
            submission = parse_submission(assignment, student, f"{assignment.id}.ipynb", data)
            cached[key] = FileRecord(file, submission.hash)
            self.run.seen.noted += 1
        return cached[key].submission

    def _verdict(self, student: str, submission: str) -> Verdict | None:
        """Return the verdict on an earlier submission; None if there is none."""
        earlier = self.run.results.earlier(student)
        return next((one for one in earlier if one.stamp.submission == submission), None)

    def _is_current(self, verdict: Verdict) -> bool:
        stamp = self.run.settings.stamp(verdict.stamp.submission, verdict.stamp.seed)
        return is_current(verdict.stamp, stamp)
