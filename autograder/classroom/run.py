"""A class run: each submission without a current verdict goes to a pool, and each verdict is
written at once.

Submissions are read singly when there is room to grade them, and forgotten when they have a
verdict. So memory hardly depends on the size of the class.

Any failure on a submission is that student's `not_graded`, and the run continues. Only an
`OSError` ends the run, because our own folder of results is then unwritable.
"""

import secrets
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from autograder.classroom.compare import ChangeRow, change_between
from autograder.classroom.late_files import submitted_at
from autograder.classroom.pool import WorkItem
from autograder.classroom.worker import Failed, Outcome, Task, Unchanged, grade
from autograder.engine import (
    AutograderError,
    Graded,
    ResultsFolder,
    RunSettings,
    Submission,
    Unreadable,
    Verdict,
    grading,
    notebooks,
    printable,
    verdicts,
)


class ClassRun:
    """A run over the submissions of a class for one assignment. It decides which are graded, and
    stores the outcomes.

    A new verdict on an unchanged submission is only proposed, until the user accepts it. A
    `not_graded` result never replaces another verdict.
    """

    def __init__(
        self,
        settings: RunSettings,
        results: ResultsFolder,
        top: Path,
        regrade: bool = False,
        keeps: bool = False,
    ):
        """`top`: the folder below which no link is followed. `regrade`: grade again despite a
        current verdict. `keeps`: keep verdicts on unchanged submissions from any version of the
        graders.
        """
        self.settings = settings
        self.results = results
        self.top = top
        self.regrade = regrade
        self.keeps = keeps
        # shared, so that answers of known mistakes are computed once
        self.seed = secrets.randbits(31)
        self.seen = notebooks.FileCache(results.folder)
        self.files: dict[str, notebooks.NotebookFile] = {}  # being graded, by student
        self.unchanged: list[verdicts.Summary] = []  # current verdicts of earlier runs
        self.written: list[verdicts.Summary] = []  # in this run
        self.proposed: list[str] = []  # students
        self.changes: list[ChangeRow] = []  # by the proposed verdicts
        self.failed: dict[str, Verdict] = {}  # failed now, graded before, by student

    @property
    def count(self) -> int:
        """The number of students with an outcome."""
        groups = (self.unchanged, self.written, self.proposed, self.failed)
        return sum(len(students) for students in groups)

    def items(self, notebooks: dict[str, Path]) -> Iterator[WorkItem]:
        """Yield a work item for each of these notebooks (paths by student) that must be graded. A
        file is read only when its turn comes.

        Raises `OSError` if results cannot be written.
        """
        for student, notebook in notebooks.items():
            if item := self.item(student, notebook):
                yield item

    def item(self, student: str, notebook: Path) -> WorkItem | None:
        """Return the work item for the student's notebook, None if its verdict is current. An
        unreadable notebook or a fault of the grader gets a verdict at once, and None is returned.

        Raises `OSError` if results cannot be written.
        """
        try:
            return self._item(student, notebook)
        except OSError:
            raise
        except Exception as error:
            self._fail(student, f"a fault of the grader ({grading.describe_error(error)})")
            return None

    def record(self, item: WorkItem, outcome: Outcome) -> Verdict | None:
        """Write or propose the outcome of a work item. Return the new verdict, None if the
        submission is unchanged.

        Raises `OSError` if results cannot be written.
        """
        student, file = item.student, self.files.pop(item.student)
        self.failed.pop(student, None)
        try:
            if isinstance(outcome, Unchanged):
                self.seen.note(student, file, outcome.submission)
                if previous := self.results.verdict(student):
                    self.unchanged.append(verdicts.summary_of(previous))
                return None
            if isinstance(outcome, Failed):
                return self._fail(student, outcome.why)
            verdict = self._write_or_propose(outcome, file.path)
            if verdict.state != "not_graded":
                self.seen.note(student, file, verdict.stamp.submission)
            return verdict
        except OSError:
            raise
        except Exception as error:
            return self._fail(student, f"a fault of the grader ({grading.describe_error(error)})")

    def settings_for(self, previous: Verdict | None) -> RunSettings:
        """Return settings with the previous seed, so that chance changes nothing."""
        if self.settings.seed is not None:
            return self.settings
        return replace(self.settings, seed=previous.stamp.seed if previous else self.seed)

    def drop(self, item: WorkItem) -> None:
        """Forget a work item in flight, without a result."""
        del self.files[item.student]

    def accept(self) -> None:
        """Replace earlier verdicts by the proposed verdicts. Raises `OSError`."""
        for student in self.proposed:
            self.results.accept(student)
            if verdict := self.results.verdict(student):
                self.written.append(verdicts.summary_of(verdict))
        self.proposed = []

    def close(self) -> None:
        """Write the cache of files for the next run. Raises `OSError`."""
        self.seen.write()

    def _item(self, student: str, notebook: Path) -> WorkItem | None:
        """Implement `item` without its fallback for exceptions."""
        previous = self.results.verdict(student)
        try:
            file = self.seen.file(student, notebook, self.top)
            if self._has_verdict(student, file, previous):
                return None
            task = Task(student, printable(notebook.name), file.data, self._stamp(previous))
        except Unreadable as error:
            submission = notebooks.unreadable_file(student, notebook, self.top, str(error))
            if previous and self._is_current(previous, submission.hash):
                self.unchanged.append(verdicts.summary_of(previous))
            else:
                self._write_or_propose(
                    grading.unreadable(self.settings_for(previous), submission), notebook
                )
            return None
        self.files[student] = file
        return WorkItem(student, grade, (self.settings_for(previous), task))

    def _has_verdict(
        self, student: str, file: notebooks.NotebookFile, previous: Verdict | None
    ) -> bool:
        """Whether this file has a current or proposed verdict. If so, count it."""
        if self.regrade or not previous or not file.submission:
            return False
        if self._is_current(previous, file.submission):
            self.seen.note(student, file, file.submission)
            self.unchanged.append(verdicts.summary_of(previous))
            return True
        proposed = self.results.proposed(student)
        if not proposed or not self._is_current(proposed, file.submission):
            return False
        self._propose(previous, proposed)
        return True

    def _is_current(self, verdict: Verdict, submission: str) -> bool:
        if self._is_wanted(verdict):
            return False
        if self.keeps:
            return verdict.stamp.submission == submission
        return verdicts.is_current(
            verdict.stamp, self.settings.stamp(submission, verdict.stamp.seed)
        )

    def _is_wanted(self, verdict: Verdict) -> bool:
        """Whether to grade again despite an unchanged submission."""
        return verdict.state == "not_graded" or (self.regrade and verdict.state == "graded")

    def _stamp(self, previous: Verdict | None) -> verdicts.Stamp | None:
        """Return the stamp that the worker compares, None to grade in any case."""
        if not previous or self._is_wanted(previous):
            return None
        if self.keeps:
            return self.settings_for(previous).stamp(previous.stamp.submission)
        return previous.stamp

    def _write_or_propose(self, graded: Graded, notebook: Path) -> Verdict:
        """Write the result, or propose it for an unchanged submission."""
        verdict = graded.verdict
        previous = self.results.verdict(verdict.student)
        if previous is None or previous.state == "not_graded":
            self._put(graded, notebook)
        elif verdict.state == "not_graded":
            self.failed[verdict.student] = verdict
        elif previous.stamp.submission != verdict.stamp.submission:
            self._put(graded, notebook)
        else:
            self.results.propose(graded, self._submitted(notebook))
            self._propose(previous, verdict)
        return verdict

    def _put(self, graded: Graded, notebook: Path) -> None:
        self.results.put(graded, self._submitted(notebook))
        self.written.append(verdicts.summary_of(graded.verdict))

    def _propose(self, previous: Verdict, verdict: Verdict) -> None:
        """Count a proposed verdict, and record its change from the previous verdict."""
        self.proposed.append(verdict.student)
        if change := change_between(previous, verdict):
            self.changes.append(change.row())

    def _fail(self, student: str, reason: str) -> Verdict:
        """Return a `not_graded` verdict, which replaces only another `not_graded` verdict."""
        verdict = grading.ungraded(self.settings, Submission([], student), reason).verdict
        previous = self.results.verdict(student)
        if previous and previous.state != "not_graded":
            self.failed[student] = verdict
        else:
            self.results.put(Graded(verdict))
            self.written.append(verdicts.summary_of(verdict))
        return verdict

    def _submitted(self, notebook: Path) -> datetime | None:
        with suppress(AutograderError, ValueError):  # ValueError if it is not below `top`
            return submitted_at(notebook.parent, self.top)
        return None
