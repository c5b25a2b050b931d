"""One class run: each submission without a current verdict goes to a pool, and each verdict is
written at once.

Submissions are read one by one, as there is room to grade them, and forgotten when they have a
verdict: a run over many takes hardly more memory than one over a few.

Whatever goes wrong with one submission is that student's `not_graded`, and the others go on. Only
an `OSError` ends the run: then it is our own folder of results that cannot be written.
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
    """One run over the submissions of a class for one assignment: decides which have to be graded,
    and keeps the outcomes.

    A new verdict on an unchanged submission is only proposed, until somebody accepts it. A
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
        """`settings`: of the run; `results`: the assignment's folder of results; `top`: the folder
        below which no link is followed; `regrade`: grade again even where a verdict is current;
        `keeps`: keep a verdict on an unchanged submission, whichever graders made it.
        """
        self.settings = settings
        self.results = results
        self.top = top
        self.regrade = regrade
        self.keeps = keeps
        self.seed = secrets.randbits(31)  # one for all: what known mistakes answer is computed once
        self.seen = notebooks.FileCache(results.folder)
        self.files: dict[str, notebooks.NotebookFile] = {}  # that are being graded, by student
        self.unchanged: list[verdicts.Summary] = []  # of earlier runs, and still right
        self.written: list[verdicts.Summary] = []  # in this run
        self.proposed: list[str] = []  # students
        self.changes: list[ChangeRow] = []  # that the proposed verdicts make
        self.failed: dict[str, Verdict] = {}  # not graded now, but before, by student

    @property
    def count(self) -> int:
        """Return the number of students whose outcome is known."""
        done = (self.unchanged, self.written, self.proposed, self.failed)
        return sum(len(students) for students in done)

    def items(self, notebooks: dict[str, Path]) -> Iterator[WorkItem]:
        """Yield a work item for each of these notebooks (paths by student) that has to be graded. A
        file is read only when its turn comes.

        Raises `OSError` if results cannot be written.
        """
        for student, notebook in notebooks.items():
            if item := self.item(student, notebook):
                yield item

    def item(self, student: str, notebook: Path) -> WorkItem | None:
        """Return the work item that grades the student's notebook. None if its verdict is current;
        or if the notebook cannot be read or a fault of ours occurs, and then a verdict that says so
        is written.

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
        """Write or propose the outcome of a work item. Return the new verdict; None if the worker
        found the submission unchanged.

        Raises `OSError` if results cannot be written.
        """
        student, file = item.student, self.files.pop(item.student)
        self.failed.pop(student, None)
        try:
            if isinstance(outcome, Unchanged):
                self.seen.note(student, file, outcome.submission)
                if before := self.results.verdict(student):
                    self.unchanged.append(verdicts.summary_of(before))
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

    def settings_for(self, before: Verdict | None) -> RunSettings:
        """Return this run's settings with the seed of the student's earlier verdict (`before`), so
        that a difference comes from the graders and not from chance.
        """
        if self.settings.seed is not None:
            return self.settings
        return replace(self.settings, seed=before.stamp.seed if before else self.seed)

    def drop(self, item: WorkItem) -> None:
        """Forget a work item in flight: nothing is written for it."""
        del self.files[item.student]

    def accept(self) -> None:
        """Put all proposed verdicts in the place of the earlier ones. Raises `OSError` if results
        cannot be written.
        """
        for student in self.proposed:
            self.results.accept(student)
            if verdict := self.results.verdict(student):
                self.written.append(verdicts.summary_of(verdict))
        self.proposed = []

    def close(self) -> None:
        """Write the cache of files to disk; it makes the next run faster. Raises `OSError` if it
        cannot be written.
        """
        self.seen.write()

    def _item(self, student: str, notebook: Path) -> WorkItem | None:
        """Do what `item` does, without its `except`: any exception passes except `Unreadable`, for
        which the verdict is written.
        """
        before = self.results.verdict(student)
        try:
            file = self.seen.file(student, notebook, self.top)
            if self._has_verdict(student, file, before):
                return None
            task = Task(student, printable(notebook.name), file.data, self._stamp(before))
        except Unreadable as error:
            submission = notebooks.unreadable_file(student, notebook, self.top, str(error))
            if before and self._is_current(before, submission.hash):
                self.unchanged.append(verdicts.summary_of(before))
            else:
                self._write_or_propose(
                    grading.unreadable(self.settings_for(before), submission), notebook
                )
            return None
        self.files[student] = file
        return WorkItem(student, grade, (self.settings_for(before), task))

    def _has_verdict(
        self, student: str, file: notebooks.NotebookFile, before: Verdict | None
    ) -> bool:
        """Whether the student has a verdict or a proposed one that is current for this file; if so,
        count it as unchanged or as proposed.

        `before`: the student's verdict, None if not graded before.
        """
        if self.regrade or not before or not file.submission:
            return False
        if self._is_current(before, file.submission):
            self.seen.note(student, file, file.submission)
            self.unchanged.append(verdicts.summary_of(before))
            return True
        proposed = self.results.proposed(student)
        if not proposed or not self._is_current(proposed, file.submission):
            return False
        self._propose(before, proposed)
        return True

    def _is_current(self, verdict: Verdict, submission: str) -> bool:
        """Whether this verdict is current for the submission with this hash, under the settings of
        the run.
        """
        if self._is_wanted(verdict):
            return False
        if self.keeps:
            return verdict.stamp.submission == submission
        return verdicts.is_current(
            verdict.stamp, self.settings.stamp(submission, verdict.stamp.seed)
        )

    def _is_wanted(self, verdict: Verdict) -> bool:
        """Whether a new verdict has to be made even if the submission is unchanged: this verdict is
        `not_graded`; or it is `graded`, and `--regrade` was given.
        """
        return verdict.state == "not_graded" or (self.regrade and verdict.state == "graded")

    def _stamp(self, before: Verdict | None) -> verdicts.Stamp | None:
        """Return the stamp with which the worker decides whether the verdict `before` is current;
        None if the submission is graded in any case.
        """
        if not before or self._is_wanted(before):
            return None
        if self.keeps:
            return self.settings_for(before).stamp(before.stamp.submission)
        return before.stamp

    def _write_or_propose(self, graded: Graded, notebook: Path) -> Verdict:
        """Write this result, or only propose it if the submission is unchanged; return its verdict.
        A `not_graded` verdict replaces only another `not_graded` one.

        `notebook`: the path of the student's file.
        """
        verdict = graded.verdict
        before = self.results.verdict(verdict.student)
        if before is None or before.state == "not_graded":
            self._put(graded, notebook)
        elif verdict.state == "not_graded":
            self.failed[verdict.student] = verdict
        elif before.stamp.submission != verdict.stamp.submission:
            self._put(graded, notebook)
        else:
            self.results.propose(graded, self._submitted(notebook))
            self._propose(before, verdict)
        return verdict

    def _put(self, graded: Graded, notebook: Path) -> None:
        """Write the result and its verdict, with the time of handing in; `notebook`: the path of
        the student's file.
        """
        self.results.put(graded, self._submitted(notebook))
        self.written.append(verdicts.summary_of(graded.verdict))

    def _propose(self, before: Verdict, verdict: Verdict) -> None:
        """Count the student as one with a proposed verdict, and note how `verdict` differs from the
        earlier one (`before`), if it does.
        """
        self.proposed.append(verdict.student)
        if change := change_between(before, verdict):
            self.changes.append(change.row())

    def _fail(self, student: str, reason: str) -> Verdict:
        """Write a `not_graded` verdict with this reason and return it; if the student has another
        verdict, that stays.
        """
        verdict = grading.ungraded(self.settings, Submission([], student), reason).verdict
        before = self.results.verdict(student)
        if before and before.state != "not_graded":
            self.failed[student] = verdict
        else:
            self.results.put(Graded(verdict))
            self.written.append(verdicts.summary_of(verdict))
        return verdict

    def _submitted(self, notebook: Path) -> datetime | None:
        """Return when the notebook at this path was handed in; None if unknown."""
        with suppress(AutograderError, ValueError):  # the latter: it is not below `top`
            return submitted_at(notebook.parent, self.top)
        return None
