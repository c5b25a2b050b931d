"""One run over submissions that arrive while others are graded."""

from pathlib import Path

from autograder.classroom.run import ClassRun
from autograder.classroom.store import ResultStore
from autograder.engine.fingerprint import RunSettings
from autograder.engine.graded import Graded, unreadable
from autograder.engine.submission import Submission
from autograder.engine.verdict import Verdict, summary_of
from autograder.gradebook.writer import GradebookWriter


class ArrivingRun(ClassRun):
    """A run that is handed one submission after another, and never proposes: nobody looks on who
    could say whether a verdict may take the place of another one on the same submission.

    Its methods raise `OSError` where our own folder of results cannot be written.
    """

    def __init__(
        self, settings: RunSettings, results: Path, store: ResultStore, writer: GradebookWriter
    ):
        super().__init__(settings, results, store, writer)
        self.same: dict[str, list[Submission]] = {}  # that are being graded, by key

    def settle(self, submission: Submission) -> bool:
        """Write the verdict that is known for a submission; return whether there is none.

        A verdict on the same submission stays, whichever graders made it.
        """
        self._recall(submission.student)
        before = self.before.get(submission.student)
        try:
            if before and not self._may_be_replaced(before, submission):
                self._leave(before, submission)
            elif submission.unreadable:
                self._write_or_propose(unreadable(self.settings, submission), submission)
            elif known := self._known(submission, regrade=False):
                self._write_or_propose(known.for_submission(submission), submission)
            else:
                return True
        except Exception as error:
            self._set_aside(submission, error)
        self.before.pop(submission.student, None)
        return False

    def begin(self, submission: Submission) -> bool:
        """Note that a submission has to be graded; return False where an identical one is already."""
        key = self.settings.key(submission)
        if key in self.same:
            self.same[key].append(submission)
            return False
        self.same[key] = [submission]
        self.keys[submission.student] = key
        return True

    def keep(self, graded: Graded) -> list[Verdict]:
        """Keep the result of one that `begin` was told of; return the verdict of each student that it
        is about.
        """
        key = self.keys.pop(graded.verdict.student)
        verdicts = [self._keep(key, graded, submission) for submission in self.same.pop(key)]
        for verdict in verdicts:
            self.before.pop(verdict.student, None)
        return verdicts

    def _leave(self, verdict: Verdict, submission: Submission) -> None:
        """Leave a verdict as it is, and enter it where the gradebook does not have it."""
        self.unchanged.append(summary_of(verdict))
        if not self.writer.agrees_with(verdict):
            known = self.store.get(self.settings.key(submission))
            if known:
                self._enter(verdict, submission, known.outputs)
