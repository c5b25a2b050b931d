"""Grade one submission: from a file to a verdict."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

import msgspec

from autograder.engine.assignment import Assignment, GraderError
from autograder.engine.course import Course
from autograder.engine.diagnosis.search import diagnose
from autograder.engine.examiner.checks import CheckRun
from autograder.engine.examiner.faults import ENDINGS, UNWRITTEN
from autograder.engine.examiner.outputs import as_notebook_outputs
from autograder.engine.examiner.proxy import Candidate
from autograder.engine.examiner.session import run_checks
from autograder.engine.examiner.supervisor import Supervisor
from autograder.engine.fingerprint import RunSettings
from autograder.engine.graded import Graded, empty, ungraded, unreadable
from autograder.engine.mistake import Mistake
from autograder.engine.process import PRACTICE, CandidateSource, Limits, SandboxError
from autograder.engine.sandbox import Walls, choose_walls
from autograder.engine.submission import Submission, read_submission
from autograder.engine.verdict import ExerciseResult, ExerciseState, NamedMistake

ANSWERED = ("wrong", "no_value", "no_function")  # kinds of failure by an answer
ATTEMPTS = 3  # at examining a submission, before it is not graded

_walls: dict[tuple[str, Path], Walls] = {}  # of this process, by level and what they have to hide
_choosing = Lock()  # a worker may have several threads


def prepare(settings: RunSettings) -> "Grader":
    """Return a grader whose walls have been tried. Raises `SandboxError`."""
    wanted = "off" if settings.sandbox == PRACTICE else "require"
    graders = settings.assignment.course.graders
    with _choosing:
        if (settings.sandbox, graders) not in _walls:
            _walls[settings.sandbox, graders] = choose_walls(wanted, (graders,))
    return Grader(settings.assignment, _walls[settings.sandbox, graders], seed=settings.seed)


def best_walls(course: Course) -> tuple[str, str]:
    """Return the level of the best walls that there are here, and why there are no better ones."""
    walls = choose_walls("auto", (course.graders,))
    walls.close()
    return walls.level, walls.why


@dataclass(frozen=True)
class Grader:
    """Grades submissions of one assignment, with candidates from one source."""

    assignment: Assignment
    walls: CandidateSource
    limits: Limits = Limits()
    seed: int | None = None  # None: a fresh one for each submission

    @property
    def settings(self) -> RunSettings:
        return RunSettings(self.assignment, self.walls.level, self.seed)

    def grade(self, student: str, notebook: Path) -> Graded:
        """Return the verdict on one notebook. A fault of ours makes it `not_graded`, never a zero."""
        return self.grade_submission(read_submission(self.assignment, student, notebook))

    def grade_submission(self, submission: Submission) -> Graded:
        """Return the verdict on what was read."""
        if submission.unreadable:
            return unreadable(self.settings, submission)
        begin = time.monotonic()
        verdict = empty(self.settings, submission, "graded")
        try:
            results, runs, outputs = self._examine(submission, verdict.stamp.seed)
        except (SandboxError, GraderError) as error:
            return ungraded(self.settings, submission, str(error))
        verdict = msgspec.structs.replace(
            verdict,
            points=sum((result.points for result in results), 0.0),
            exercises=results,
            repairs=submission.repairs,
            seconds=round(time.monotonic() - begin, 3),
        )
        return Graded(verdict, outputs, [run.without_recordings() for run in runs])

    def _examine(
        self, submission: Submission, seed: int
    ) -> tuple[list[ExerciseResult], list[CheckRun], dict[str, list[dict]]]:
        """Examine; where the walls or the machine fail, try again. Raises what failed the last time."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return examine(self.assignment, submission, self.walls, self.limits, seed)
            except SandboxError:
                self.walls.close()  # the next candidate comes from a new warm parent
                if attempt == ATTEMPTS:
                    raise
        raise AssertionError("the last attempt returned or raised")


def examine(
    assignment: Assignment,
    submission: Submission,
    source: CandidateSource,
    limits: Limits,
    seed: int,
) -> tuple[list[ExerciseResult], list[CheckRun], dict[str, list[dict]]]:
    """Run a submission's cells behind the walls, and put every check to it.

    Return the results by exercise, every check's run, and what cells showed, by cell. Raises
    `SandboxError` or `GraderError`: faults of ours, never a zero.
    """
    with Supervisor(source, limits, submission) as supervisor:
        candidate = Candidate(supervisor, assignment.aliases, assignment.signature)
        runs = run_checks(assignment.exercises, candidate, seed, assignment.look_around)
    outputs = {name: list(as_notebook_outputs(all)) for name, all in supervisor.outputs.items()}
    results = []
    for exercise in assignment.exercises:
        checks = [run for run in runs if run.exercise == exercise.id]
        state = _state(exercise.id, checks, supervisor, exercise.id in submission.untouched)
        _explain_missing(checks, exercise.id, supervisor)
        results.append(_result(exercise.id, state, checks, _diagnosed(assignment, checks)))
    return results, runs, outputs


def _diagnosed(assignment: Assignment, checks: Sequence[CheckRun]) -> list[Mistake]:
    """The known mistakes in one exercise; none where the search itself fails on an odd answer."""
    try:
        return diagnose(assignment, checks)
    except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError):
        return []


def _result(
    name: str, state: ExerciseState, checks: Sequence[CheckRun], mistakes: Sequence[Mistake]
) -> ExerciseResult:
    return ExerciseResult(
        id=name,
        state=state,
        points=sum((check.points for check in checks), 0.0),
        max_points=sum((check.max_points for check in checks), 0.0),
        checks=[check.result() for check in checks],
        mistakes=[NamedMistake(mistake.id, mistake.sentence) for mistake in mistakes],
    )


def _state(
    name: str, checks: Sequence[CheckRun], supervisor: Supervisor, untouched: bool
) -> ExerciseState:
    """What became of an exercise: how it ended, if it earned nothing and its code says why."""
    kinds = [check.kind for check in checks]
    for ending in (supervisor.fatal.get(name), *kinds):
        if ending in ENDINGS:
            return ending  # type: ignore[return-value]
    fault = supervisor.faults.get(name)
    if fault and fault.kind == "out_of_memory":
        return "out_of_memory"
    if any(check.passed or check.kind in ANSWERED for check in checks):
        return "answered"
    if all(kind in UNWRITTEN for kind in kinds) and (untouched or "missing" not in kinds):
        return "not_attempted"
    return "error"


def _explain_missing(checks: Sequence[CheckRun], name: str, supervisor: Supervisor) -> None:
    """Where a class is missing because its cell stopped, say that instead."""
    ending, fault = supervisor.fatal.get(name), supervisor.faults.get(name)
    for check in checks:
        if check.kind != "missing":
            continue
        if ending:
            check.message = ENDINGS[ending]
        elif fault:
            sentence = supervisor.describe(fault)
            check.message = f"The cell `{name}` stopped before its end. {sentence}"
