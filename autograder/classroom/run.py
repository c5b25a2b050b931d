"""One run over a class: what is new or changed is graded, and each verdict is kept at once.

Whatever goes wrong with one submission is that student's `not_graded`, and the others go on. Only
an `OSError` ends the run: then it is our own folder of results that cannot be written.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from autograder.classroom.compare import Change, change_between, with_gone_mistakes
from autograder.classroom.store import ResultStore
from autograder.classroom.table import verdict_path
from autograder.engine.fingerprint import RunSettings
from autograder.engine.graded import Graded, describe_error, ungraded, unreadable
from autograder.engine.submission import Submission, read_submission
from autograder.engine.verdict import Verdict, read_verdict, write_verdict
from autograder.gradebook.writer import GradebookWriter


class ClassRun:
    """One run over the submissions of a class.

    A new verdict on a submission that has one already is only proposed, until somebody has seen
    what changes and calls `write_proposed`. A fault of ours never takes the place of a verdict on
    the same submission.
    """

    def __init__(
        self, settings: RunSettings, results: Path, store: ResultStore, writer: GradebookWriter
    ):
        self.settings = settings
        self.results = results
        self.store = store
        self.writer = writer
        self.before: dict[str, Verdict] = {}  # by student
        self.unchanged: list[Verdict] = []  # of earlier runs, and still right
        self.written: list[Verdict] = []  # in this run
        self.proposed: dict[str, tuple[Verdict, Submission]] = {}  # by student
        self.failed: list[Verdict] = []  # not graded now, but before
        self.to_grade: dict[str, list[Submission]] = defaultdict(list)  # by key

    def settle_known(
        self, notebooks: dict[str, Path], regrade: bool = False, top: Path | None = None
    ) -> list[Submission]:
        """Read the notebooks; write or propose the verdicts that the store has; return what has to be
        graded, one of each kind of identical submissions.

        No link is followed on the way from the folder `top` to a notebook.
        """
        for student, notebook in notebooks.items():
            submission = Submission([], student)
            try:
                submission = read_submission(self.settings.assignment, student, notebook, top)
                self._settle_if_known(submission, regrade)
            except Exception as error:
                self._set_aside(submission, error)
        return [same[0] for same in self.to_grade.values()]

    def grade(self, results: Iterable[Graded]) -> Iterator[Verdict]:
        """Keep the results of grading; yield the verdict of each student that they are about."""
        keys = {same[0].student: key for key, same in self.to_grade.items()}
        for graded in results:
            key = keys[graded.verdict.student]
            for submission in self.to_grade.pop(key):
                yield self._keep(key, graded, submission)

    def changes(self) -> list[Change]:
        """Return what the proposed verdicts would change."""
        pairs = ((self.before[student], new) for student, (new, _) in self.proposed.items())
        return [change for before, new in pairs if (change := change_between(before, new))]

    def write_proposed(self) -> None:
        """Write the proposed verdicts."""
        for verdict, submission in self.proposed.values():
            key = "" if submission.unreadable else self.settings.key(submission)
            known = key and (self.store.proposed(key) or self.store.get(key))
            try:
                self._write(verdict, submission, known.outputs if known else {})
            except Exception as error:
                self._set_aside(submission, error)
        self.store.accept_proposals()

    def _keep(self, key: str, graded: Graded, submission: Submission) -> Verdict:
        """Keep a result for one of those who handed in the same; return the verdict."""
        try:
            if graded.verdict.state == "graded" and graded.verdict.student == submission.student:
                keep = self.store.propose if key in self.store else self.store.put
                keep(key, graded)
            return self._write_or_propose(graded.for_submission(submission), submission)
        except Exception as error:
            return self._set_aside(submission, error)

    def _set_aside(self, submission: Submission, error: Exception) -> Verdict:
        """Keep for one student that something failed, unless there is a verdict on the same.

        Raises the error if it is an `OSError`: then our folder of results cannot be written.
        """
        if isinstance(error, OSError):
            raise error
        reason = f"a fault of the grader ({describe_error(error)})"
        verdict = ungraded(self.settings, submission, reason).verdict
        before = self.before.get(submission.student)
        if self._may_be_replaced(before, submission):
            write_verdict(self._path(submission.student), verdict)
            self.written.append(verdict)
        else:
            self.failed.append(verdict)
        return verdict

    def _settle_if_known(self, submission: Submission, regrade: bool) -> None:
        """Write or propose the verdict that is known for one submission, or leave it to be graded."""
        before = read_verdict(self._path(submission.student))
        if before:
            self.before[submission.student] = before
            if self._is_current(before, submission, regrade):
                if self.writer.agrees_with(before):
                    self.unchanged.append(before)
                    return
                if known := self.store.get(self.settings.key(submission)):
                    self.unchanged.append(before)
                    self.writer.add(before, submission, known.outputs)
                    return
        if submission.unreadable:
            self._write_or_propose(unreadable(self.settings, submission), submission)
        elif not regrade and (known := self._known(submission)):
            self._write_or_propose(known.for_submission(submission), submission)
        else:
            self.to_grade[self.settings.key(submission)].append(submission)

    def _is_current(self, before: Verdict, submission: Submission, regrade: bool) -> bool:
        """Whether a verdict need not be made again."""
        made = self.settings.has_made(before.stamp, submission.hash)
        if before.state == "not_graded" or not made:
            return False
        if submission.unreadable:
            return True
        return not regrade and self.settings.key(submission) in self.store

    def _known(self, submission: Submission) -> Graded | None:
        """What the store has for a submission, if it was made with our settings."""
        known = self.store.get(self.settings.key(submission))
        if known is None:
            return None
        stamp = known.for_submission(submission).verdict.stamp
        return known if self.settings.has_made(stamp, submission.hash) else None

    def _write_or_propose(self, graded: Graded, submission: Submission) -> Verdict:
        """Write a verdict, or propose it."""
        before = self.before.get(submission.student)
        verdict = with_gone_mistakes(graded.verdict, before)
        if self._may_be_replaced(before, submission):
            self._write(verdict, submission, graded.outputs)
        elif verdict.state == "not_graded":
            self.failed.append(verdict)
        else:
            self.proposed[submission.student] = verdict, submission
        return verdict

    def _write(
        self, verdict: Verdict, submission: Submission, outputs: dict[str, list[dict]]
    ) -> None:
        write_verdict(self._path(verdict.student), verdict)
        self.writer.add(verdict, submission, outputs)
        self.written.append(verdict)

    def _may_be_replaced(self, before: Verdict | None, submission: Submission) -> bool:
        """Whether a verdict is none on this submission, so that nobody has to look at what changes."""
        return (
            before is None
            or before.state == "not_graded"
            or before.stamp.submission != submission.hash
        )

    def _path(self, student: str) -> Path:
        return verdict_path(self.results, self.settings.assignment, student)
