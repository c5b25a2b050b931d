"""Grade one submission: from a file to a verdict."""

import hashlib
import platform
import secrets
import stat
import time
from dataclasses import dataclass, field
from pathlib import Path

import torch

from autograder.assignment import Assignment
from autograder.examiner.compare import GraderError
from autograder.examiner.examine import Examination, examine
from autograder.examiner.session import Trace
from autograder.notebook import Unreadable, read_notebook
from autograder.repair import Submission, repair
from autograder.sandbox import Limits, SandboxError, Walls
from autograder.verdict import CheckResult, ExerciseResult, Recognised, Verdict

ATTEMPTS = 3  # at examining a submission, before it is not graded


@dataclass(frozen=True)
class Graded:
    """A verdict, with what nbgrader needs besides: the repaired notebook and what its cells showed."""

    verdict: Verdict
    submission: Submission | None = None
    outputs: dict[str, list] = field(default_factory=dict)
    traces: list[Trace] = field(default_factory=list)


@dataclass(frozen=True)
class Grader:
    """Everything that is the same for all submissions of a run."""

    assignment: Assignment
    walls: Walls
    limits: Limits = Limits()
    seed: int | None = None  # None: a fresh one for each submission

    def grade(self, student: str, notebook: Path) -> Graded:
        """Return the verdict on one notebook. A fault of ours makes it `not_graded`, never a zero."""
        begin = time.monotonic()
        try:
            submission = repair(self.assignment, read_notebook(notebook))
        except Unreadable as error:
            stamp = self.stamp(_hash_of_file(notebook))
            return Graded(self._verdict(student, "unreadable", stamp, begin, reason=str(error)))
        return self.grade_submission(student, submission)

    def grade_submission(self, student: str, submission: Submission) -> Graded:
        """Return the verdict on a notebook that was read and repaired."""
        begin = time.monotonic()
        stamp = self.stamp(submission.hash)
        try:
            examination = self._examine(submission, stamp["seed"])
        except (SandboxError, GraderError) as error:
            verdict = self._verdict(student, "not_graded", stamp, begin, reason=str(error))
            return Graded(verdict, submission)
        results = _results(examination)
        verdict = self._verdict(student, "graded", stamp, begin, results, submission.repairs)
        traces = [check.trace() for checks in examination.checks.values() for check in checks]
        return Graded(verdict, submission, examination.outputs, traces)

    def _examine(self, submission: Submission, seed: int) -> Examination:
        """Examine; where the walls or the machine fail, try again. Raises what failed the last time."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return examine(self.assignment, submission, self.walls, self.limits, seed)
            except SandboxError:
                self.walls.close()  # the next one starts from the ground
                if attempt == ATTEMPTS:
                    raise
        raise AssertionError("the last attempt returned or raised")

    def not_graded(self, student: str, reason: str) -> Graded:
        """Return the verdict on a submission that nobody could grade."""
        begin = time.monotonic()
        return Graded(self._verdict(student, "not_graded", self.stamp(""), begin, reason=reason))

    def would_say_the_same(self, kept: Verdict, notebook: Path) -> bool:
        """Whether everything that determines a verdict is what it was when this one was made."""
        try:
            hash = repair(self.assignment, read_notebook(notebook)).hash
        except Unreadable:
            hash = _hash_of_file(notebook)
        return kept.state != "not_graded" and kept.stamp == self.stamp(hash) | {
            "seed": kept.stamp["seed"] if self.seed is None else self.seed
        }

    def _verdict(
        self,
        student: str,
        state: str,
        stamp: dict,
        begin: float,
        exercises: list[ExerciseResult] | None = None,
        repairs: list[str] | None = None,
        reason: str | None = None,
    ) -> Verdict:
        return Verdict(
            student=student,
            assignment=self.assignment.id,
            state=state,
            points=sum((result.points for result in exercises or ()), 0.0),
            max_points=sum((exercise.points for exercise in self.assignment.exercises), 0.0),
            exercises=exercises or [],
            repairs=repairs or [],
            seconds=round(time.monotonic() - begin, 3),
            stamp=stamp,
            reason=reason,
        )

    def stamp(self, submission: str) -> dict:
        """What determines a verdict: the submission's hash, the grader's, versions, seed, walls."""
        return {
            "grader": self.assignment.grader_hash,
            "submission": submission,
            "torch": torch.__version__.partition("+")[0],
            "python": ".".join(platform.python_version_tuple()[:2]),
            "seed": secrets.randbits(31) if self.seed is None else self.seed,
            "sandbox": self.walls.level,
        }


def _hash_of_file(path: Path) -> str:
    """The hash of a file's content; the empty string where it is no file that can be read."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return ""
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:16]
    except OSError:
        return ""


def _results(examination: Examination) -> list[ExerciseResult]:
    return [
        ExerciseResult(
            id=name,
            state=examination.states[name],
            points=sum((check.points for check in checks), 0.0),
            max_points=sum((check.max_points for check in checks), 0.0),
            checks=[
                CheckResult(c.id, c.points, c.max_points, c.passed, None if c.passed else c.message)
                for c in checks
            ],
            mistakes=[Recognised(m.id, m.sentence) for m in examination.mistakes[name]],
        )
        for name, checks in examination.checks.items()
    ]
