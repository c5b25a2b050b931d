"""One run over a class: what is new or changed is graded, and each verdict is kept at once.

Submissions are read one by one, as there is room to grade them, and forgotten when they have a
verdict: a run over many takes hardly more memory than one over a few.

Whatever goes wrong with one submission is that student's `not_graded`, and the others go on. Only
an `OSError` ends the run: then it is our own folder of results that cannot be written.
"""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from autograder.classroom.compare import ChangeRow, change_between
from autograder.classroom.known_files import Known, KnownFiles
from autograder.classroom.store import ResultStore
from autograder.classroom.table import verdict_path
from autograder.engine.fingerprint import RunSettings
from autograder.engine.graded import Graded, describe_error, ungraded, unreadable
from autograder.engine.history import keep_before, read_history, with_gone_mistakes
from autograder.engine.notebook import MAX_BYTES
from autograder.engine.submission import Submission, read_submission
from autograder.engine.verdict import Summary, Verdict, read_verdict, summary_of, write_verdict
from autograder.files import read_regular, state_of
from autograder.gradebook.writer import GradebookWriter


class Changed(Exception):
    """A notebook is another one than when it was graded; the message says so."""


@dataclass
class InHand:
    """A submission that is being graded, and who else handed in the same."""

    submission: Submission
    others: list[str] = field(default_factory=list)


class Proposal(NamedTuple):
    """What a proposed verdict is made of: the result with this key, a submission with this hash."""

    key: str
    submission: str


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
        self.known_files = KnownFiles(store.folder, settings)
        self.notebooks: dict[str, Path] = {}  # by student
        self.top: Path | None = None  # no link is followed on the way from there to a notebook
        self.before: dict[str, Verdict] = {}  # by student, while something is in hand
        self.in_hand: dict[str, InHand] = {}  # by key
        self.keys: dict[str, str] = {}  # of what is in hand, by the student whose it is
        self.new: set[str] = set()  # keys of the results of this run
        self.unchanged: list[Summary] = []  # of earlier runs, and still right
        self.written: list[Summary] = []  # in this run
        self.proposed: dict[str, Proposal] = {}  # by student
        self.changes: list[ChangeRow] = []  # that the proposed verdicts make
        self.failed: list[Verdict] = []  # not graded now, but before

    @property
    def count(self) -> int:
        """How many students this run is done with."""
        return sum(map(len, (self.unchanged, self.written, self.proposed, self.failed)))

    def settle_known(
        self, notebooks: dict[str, Path], regrade: bool = False, top: Path | None = None
    ) -> Iterator[Submission]:
        """Read the notebooks one by one; write or propose the verdicts that the store has; yield what
        has to be graded, one of each kind of identical submissions.

        Each is read when it is asked for; nobody is named again while being graded. No link is followed
        on the way from the folder `top` to a notebook.
        """
        self.notebooks |= notebooks
        self.top = top
        for student in notebooks:
            self._recall(student)
            submission = self._settle(student, regrade)
            if submission:
                yield submission
            else:
                self.before.pop(student, None)

    def grade(self, results: Iterable[Graded]) -> Iterator[Verdict]:
        """Keep the results of grading; yield the verdict of each student that they are about."""
        for graded in results:
            first = graded.verdict.student
            key = self.keys.pop(first)
            in_hand = self.in_hand.pop(key)
            yield self._keep(key, graded, in_hand.submission)
            self.before.pop(first, None)
            for student in in_hand.others:
                self._recall(student)
                yield self._keep_for(student, key, graded)
                self.before.pop(student, None)

    def write_proposed(self) -> None:
        """Write the proposed verdicts."""
        for student, (key, submission_hash) in self.proposed.items():
            self._recall(student)
            submission = Submission([], student)
            try:
                submission = self._read(student)
                if submission.hash != submission_hash:
                    raise Changed("it has been changed meanwhile: grade again")
                graded = self._proposed(key, submission)
                self._write(graded.verdict, submission, graded.outputs)
            except Exception as error:
                self._set_aside(submission, error)
            self.before.pop(student, None)
        self.store.accept_proposals()

    def verdict(self, student: str) -> Verdict | None:
        """Return the verdict that a student has now."""
        return read_verdict(self._path(student))

    def close(self) -> None:
        """Keep what makes the next run faster."""
        self.known_files.close()

    def _settle(self, student: str, regrade: bool) -> Submission | None:
        """Settle one student's submission, or return it to be graded."""
        submission, known = Submission([], student), None
        state = state_of(self.notebooks[student], self._top(student))
        if not regrade:
            known = self.known_files.get(student)
        if known and state and known.state == state:
            digest, data = known.digest, None
        else:
            digest, data = self._file(student)
        if known and known.digest == digest:
            with suppress(Exception):  # it is read now, and the same happens with it in hand
                if self._stands(student, known):
                    if known.state != state:
                        self.known_files.put(student, known._replace(state=state))
                    return None
        try:
            submission = self._read(student, data)
            if data is not None and not submission.unreadable:
                key = self.settings.key(submission)
                self.known_files.put(student, Known(state, digest, submission.hash, key))
            return None if self._settle_if_known(submission, regrade) else self._in_hand(submission)
        except Exception as error:
            self._set_aside(submission, error)
            return None

    def _stands(self, student: str, known: Known) -> bool:
        """Whether all that was made of a file is there, which is the one that was read before."""
        before = self.before.get(student)
        if not (
            before
            and before.state != "not_graded"
            and self.settings.has_made(before.stamp, known.submission)
            and self.store.has_whole(known.key)
            and self.writer.agrees_with(before)
        ):
            return False
        self.unchanged.append(summary_of(before))
        return True

    def _in_hand(self, submission: Submission) -> Submission | None:
        """Return what has to be graded; None where the same is being graded already."""
        key = self.settings.key(submission)
        if key in self.in_hand:
            self.in_hand[key].others.append(submission.student)
            return None
        self.in_hand[key] = InHand(submission)
        self.keys[submission.student] = key
        return submission

    def _keep_for(self, student: str, key: str, graded: Graded) -> Verdict:
        """Keep a result for somebody who has handed in the same as another student."""
        submission = Submission([], student)
        try:
            submission = self._read(student)
            if self.settings.key(submission) != key:
                raise Changed("it has been changed meanwhile: grade again")
        except Exception as error:
            return self._set_aside(submission, error)
        return self._keep(key, graded, submission)

    def _keep(self, key: str, graded: Graded, submission: Submission) -> Verdict:
        """Keep a result for one of those who handed in the same; return the verdict."""
        try:
            if graded.verdict.state == "graded" and graded.verdict.student == submission.student:
                keep = self.store.propose if key in self.store else self.store.put
                keep(key, graded)
                self.new.add(key)
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
        if isinstance(error, Changed):
            reason = str(error)
        verdict = ungraded(self.settings, submission, reason).verdict
        before = self.before.get(submission.student)
        if self._may_be_replaced(before, submission):
            self._replace(verdict)
        else:
            self.failed.append(verdict)
        return verdict

    def _settle_if_known(self, submission: Submission, regrade: bool) -> bool:
        """Write or propose the verdict that is known for one submission, if there is one."""
        before = self.before.get(submission.student)
        if before and self._is_current(before, submission, regrade):
            if self.writer.agrees_with(before):
                self.unchanged.append(summary_of(before))
                return True
            if known := self.store.get(self.settings.key(submission)):
                self.unchanged.append(summary_of(before))
                self._enter(before, submission, known.outputs)
                return True
        if submission.unreadable:
            self._write_or_propose(unreadable(self.settings, submission), submission)
        elif known := self._known(submission, regrade):
            self._write_or_propose(known.for_submission(submission), submission)
        else:
            return False
        return True

    def _is_current(self, before: Verdict, submission: Submission, regrade: bool) -> bool:
        """Whether a verdict need not be made again."""
        made = self.settings.has_made(before.stamp, submission.hash)
        if before.state == "not_graded" or not made:
            return False
        if submission.unreadable:
            return True
        return not regrade and self.settings.key(submission) in self.store

    def _known(self, submission: Submission, regrade: bool) -> Graded | None:
        """What is known of the same, if it is of this run, or made with our settings."""
        key = self.settings.key(submission)
        if key in self.new:
            return self._result(key)
        known = None if regrade else self.store.get(key)
        if known is None:
            return None
        stamp = known.for_submission(submission).verdict.stamp
        return known if self.settings.has_made(stamp, submission.hash) else None

    def _result(self, key: str) -> Graded | None:
        """The newest result with this key."""
        return self.store.proposed(key) or self.store.get(key)

    def _proposed(self, key: str, submission: Submission) -> Graded:
        """What was proposed for a submission. Raises `Changed` where it cannot be read any more."""
        if submission.unreadable:
            return unreadable(self.settings, submission)
        if graded := self._result(key):
            return graded.for_submission(submission)
        raise Changed("its result is gone: grade again")

    def _write_or_propose(self, graded: Graded, submission: Submission) -> Verdict:
        """Write a verdict, or propose it."""
        before = self.before.get(submission.student)
        verdict = graded.verdict
        if before is None or self._may_be_replaced(before, submission):
            self._write(verdict, submission, graded.outputs)
        elif verdict.state == "not_graded":
            self.failed.append(verdict)
        else:
            key = "" if submission.unreadable else self.settings.key(submission)
            self.proposed[submission.student] = Proposal(key, submission.hash)
            if change := change_between(before, verdict):
                self.changes.append(change.row())
        return verdict

    def _write(
        self, verdict: Verdict, submission: Submission, outputs: dict[str, list[dict]]
    ) -> None:
        self._replace(verdict)
        self._enter(verdict, submission, outputs)

    def _enter(
        self, verdict: Verdict, submission: Submission, outputs: dict[str, list[dict]]
    ) -> None:
        """Have a verdict entered, with what is gone since earlier ones: people read it there."""
        had = read_history(self.results, verdict.assignment, verdict.student)
        self.writer.add(with_gone_mistakes(verdict, had), submission, outputs)

    def _replace(self, verdict: Verdict) -> None:
        """Write a verdict; the one before, if it was one, goes into the student's history."""
        before = self.before.get(verdict.student)
        if before and before.state != "not_graded":
            keep_before(self.results, before)
        write_verdict(self._path(verdict.student), verdict)
        self.written.append(summary_of(verdict))

    def _may_be_replaced(self, before: Verdict | None, submission: Submission) -> bool:
        """Whether a verdict is none on this submission, so that nobody has to look at what changes."""
        return (
            before is None
            or before.state == "not_graded"
            or before.stamp.submission != submission.hash
        )

    def _recall(self, student: str) -> None:
        """Read the verdict that a student has."""
        if before := self.verdict(student):
            self.before[student] = before

    def _file(self, student: str) -> tuple[str, bytes | None]:
        """The digest of a student's file and its bytes; None where reading it has more to say."""
        notebook = self.notebooks[student]
        try:
            data = read_regular(notebook, MAX_BYTES, self._top(student))
        except OSError:
            return "", None
        return hashlib.sha256(data).hexdigest(), data

    def _top(self, student: str) -> Path:
        """The folder from which on no link is followed to a student's notebook."""
        return self.top or self.notebooks[student].parent

    def _read(self, student: str, data: bytes | None = None) -> Submission:
        """Read a student's notebook; `data` are its bytes, where they are known already."""
        notebook = self.notebooks[student]
        return read_submission(self.settings.assignment, student, notebook, self.top, data)

    def _path(self, student: str) -> Path:
        return verdict_path(self.results, self.settings.assignment, student)
