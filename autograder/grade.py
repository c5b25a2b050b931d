"""Grade one submission: from a file to a verdict."""

import time
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.assignment import Assignment
from autograder.examiner.compare import GraderError
from autograder.examiner.examine import Examination, examine
from autograder.graded import Graded, empty, shown, ungraded, unreadable
from autograder.handed import Handed, read_handed
from autograder.repair import Submission
from autograder.sandbox import Limits, SandboxError, Walls
from autograder.stamp import Terms
from autograder.verdict import CheckResult, ExerciseResult, Recognised

ATTEMPTS = 3  # at examining a submission, before it is not graded


@dataclass(frozen=True)
class Grader:
    """Whoever grades: the walls, from which candidates come, and the terms."""

    assignment: Assignment
    walls: Walls
    limits: Limits = Limits()
    seed: int | None = None  # None: a fresh one for each submission

    @property
    def terms(self) -> Terms:
        return Terms(self.assignment, self.walls.level, self.seed)

    def grade(self, student: str, notebook: Path) -> Graded:
        """Return the verdict on one notebook. A fault of ours makes it `not_graded`, never a zero."""
        return self.grade_handed(read_handed(self.assignment, student, notebook))

    def grade_handed(self, handed: Handed) -> Graded:
        """Return the verdict on what was read."""
        if handed.submission is None:
            return unreadable(self.terms, handed)
        begin = time.monotonic()
        verdict = empty(self.terms, handed, "graded")
        try:
            examination = self._examine(handed.submission, verdict.stamp["seed"])
        except (SandboxError, GraderError) as error:
            return ungraded(self.terms, handed, str(error))
        exercises = _results(examination)
        verdict = replace(
            verdict,
            points=sum((result.points for result in exercises), 0.0),
            exercises=exercises,
            repairs=handed.submission.repairs,
            seconds=round(time.monotonic() - begin, 3),
        )
        outputs = {name: list(shown(all)) for name, all in examination.outputs.items()}
        traces = [check.trace() for checks in examination.checks.values() for check in checks]
        return Graded(verdict, outputs, traces)

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
