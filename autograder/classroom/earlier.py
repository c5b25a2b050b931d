"""Verdicts on what somebody handed in earlier, as the result store has kept them."""

from pathlib import Path

from autograder.classroom.store import FOLDER, MAX_BYTES, ResultStore
from autograder.engine.assignment import Assignment
from autograder.engine.fingerprint import RunSettings
from autograder.engine.submission import Submission, read_submission
from autograder.engine.verdict import Verdict
from autograder.files import read_named


class EarlierVerdicts:
    """The verdicts of one assignment in a folder of results."""

    def __init__(self, results: Path, assignment: Assignment, sandbox: str):
        """`sandbox`: that of the verdict which counts now."""
        self.settings = RunSettings(assignment, sandbox)
        self.store = ResultStore(results, assignment.id)
        self.folder = results / FOLDER / assignment.id

    def on(self, notebook: Path, top: Path) -> Verdict | str | None:
        """Return the verdict on a notebook that was received, or why it is unreadable; None where
        nothing is kept. No link is followed below `top`.
        """
        submission = read_submission(self.settings.assignment, "", notebook, top)
        if submission.unreadable:
            return submission.unreadable
        known = self.store.get(self.settings.key(submission))
        return known.verdict if known else self._of_other_graders(submission)

    def _of_other_graders(self, submission: Submission) -> Verdict | None:
        """A verdict that an earlier state of the graders gave on the very same text."""
        hash = submission.hash
        for file in sorted(self.folder.glob("*.json")):
            try:
                if hash.encode() not in read_named(file, MAX_BYTES):
                    continue
            except OSError:
                continue
            known = self.store.get(file.stem)
            if known and known.verdict.stamp.submission == hash:
                return known.verdict
        return None
