"""A class, judged: what is new is graded, and every verdict kept as soon as it is there."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from autograder.classroom.changes import Change, changed
from autograder.classroom.clerk import Clerk
from autograder.classroom.ledger import Ledger
from autograder.classroom.submissions import Entry
from autograder.classroom.table import verdict_path
from autograder.graded import Graded, unreadable
from autograder.handed import Handed, read_handed
from autograder.resubmission import compared
from autograder.stamp import Terms
from autograder.verdict import Verdict, read_verdict, write_verdict


class ClassRun:
    """One run over the submissions of a class.

    A verdict on a submission that has one already is held back, until somebody has seen what changes
    and calls `settle`. A fault of ours never takes the place of a verdict on the same submission.
    """

    def __init__(self, terms: Terms, results: Path, ledger: Ledger, clerk: Clerk):
        self.terms = terms
        self.results = results
        self.ledger = ledger
        self.clerk = clerk
        self.before: dict[str, Verdict] = {}  # by student
        self.kept: list[Verdict] = []  # they stand as they are
        self.made: list[Verdict] = []  # written in this run
        self.held: dict[str, tuple[Verdict, Handed]] = {}  # by student
        self.failed: list[Verdict] = []  # not graded now, but before
        self.ungraded: dict[str, list[Handed]] = defaultdict(list)  # by key

    def read(self, entries: Iterable[Entry], regrade: bool = False) -> list[Handed]:
        """Read what was handed in, and judge what is known; return what has to be graded.

        Of identical submissions it returns one.
        """
        for entry in entries:
            handed = read_handed(self.terms.assignment, entry.student, entry.notebook)
            before = read_verdict(self._path(entry.student))
            if before:
                self.before[entry.student] = before
            if before and self._stands(before, handed, regrade):
                self.kept.append(before)
            elif handed.submission is None:
                self._judge(unreadable(self.terms, handed), handed)
            elif known := None if regrade else self._known(handed):
                self._judge(known.of(handed), handed)
            else:
                self.ungraded[self.terms.key(handed.submission)].append(handed)
        return [same[0] for same in self.ungraded.values()]

    def grade(self, outcomes: Iterable[Graded]) -> Iterator[Verdict]:
        """Keep what comes out of grading; yield the verdict of each student that it is about."""
        keys = {same[0].student: key for key, same in self.ungraded.items()}
        for graded in outcomes:
            key = keys[graded.verdict.student]
            if graded.verdict.state == "graded":
                keep = self.ledger.propose if key in self.ledger else self.ledger.put
                keep(key, graded)
            for handed in self.ungraded.pop(key):
                yield self._judge(graded.of(handed), handed)

    def changes(self) -> list[Change]:
        """What the verdicts that are held back would change."""
        pairs = ((self.before[student], verdict) for student, (verdict, _) in self.held.items())
        return [change for before, after in pairs if (change := changed(before, after))]

    def settle(self) -> None:
        """Write the verdicts that were held back."""
        for verdict, handed in self.held.values():
            key = handed.submission and self.terms.key(handed.submission)
            known = key and (self.ledger.proposed(key) or self.ledger.get(key))
            self._write(verdict, handed, known.outputs if known else {})
        self.ledger.settle()

    def _stands(self, before: Verdict, handed: Handed, regrade: bool) -> bool:
        """Whether a verdict need not be made again, nor read again for the gradebook."""
        if before.state == "not_graded" or not self.terms.made(before.stamp, handed.hash):
            return False
        if handed.submission is None:
            return True
        key = self.terms.key(handed.submission)
        if regrade or key not in self.ledger:
            return False
        if not self.clerk.holds(before):
            known = self.ledger.get(key)
            if known is None:
                return False
            self.clerk.take(before, handed, known.outputs)
        return True

    def _known(self, handed: Handed) -> Graded | None:
        """What the ledger says about a submission, on our terms."""
        assert handed.submission is not None
        known = self.ledger.get(self.terms.key(handed.submission))
        if known is None or not self.terms.made(known.of(handed).verdict.stamp, handed.hash):
            return None
        return known

    def _judge(self, graded: Graded, handed: Handed) -> Verdict:
        """Write a verdict, or hold it back."""
        before = self.before.get(handed.student)
        verdict = compared(graded.verdict, before)
        if before and before.state != "not_graded" and before.stamp["submission"] == handed.hash:
            if verdict.state == "not_graded":
                self.failed.append(verdict)
            else:
                self.held[handed.student] = verdict, handed
        else:
            self._write(verdict, handed, graded.outputs)
        return verdict

    def _write(self, verdict: Verdict, handed: Handed, outputs: dict[str, list[dict]]) -> None:
        write_verdict(self._path(verdict.student), verdict)
        self.made.append(verdict)
        self.clerk.take(verdict, handed, outputs)

    def _path(self, student: str) -> Path:
        return verdict_path(self.results, self.terms.assignment, student)
