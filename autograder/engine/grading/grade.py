"""Grade a submission: from a notebook file to a verdict."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import fsum
from pathlib import Path
from threading import Lock

import msgspec

from autograder.engine.candidate.channel import Deadline, within
from autograder.engine.courses.assignment import Assignment, Exercise
from autograder.engine.courses.cells import GraderError
from autograder.engine.courses.course import Course
from autograder.engine.examiner.checks import CheckRun, Explanation
from autograder.engine.examiner.clock import Clock
from autograder.engine.examiner.exercise_results import (
    exercise_result,
    exercise_state,
    explain_missing,
)
from autograder.engine.examiner.faults import ENDINGS, CandidateLost
from autograder.engine.examiner.outputs import as_notebook_outputs
from autograder.engine.examiner.proxy import Candidate
from autograder.engine.examiner.session import run_checks
from autograder.engine.examiner.solution import holds_for_solution
from autograder.engine.examiner.supervisor import Supervisor
from autograder.engine.grading.graded import Graded, empty, ungraded, unreadable
from autograder.engine.limits.memory import limited_memory
from autograder.engine.limits.process import (
    ATTEMPTS,
    CandidateSource,
    Limits,
    SandboxError,
)
from autograder.engine.notebooks.submission import Submission, read_submission
from autograder.engine.notes.find import find_notes, library_parts, shown
from autograder.engine.notes.rebound import about_rebound
from autograder.engine.sandbox.choose import BEST, choose_walls
from autograder.engine.sandbox.walls import Walls
from autograder.engine.verdicts.fingerprint import RunSettings
from autograder.engine.verdicts.verdict import ExerciseResult

TOO_MUCH_MEMORY = (
    "the examiner reached its limit of memory. Look at this submission: what does it hand over?"
)
READY_MADE = (
    "The statement asks for a layer of your own, and yours is made of `{}`: write its equations."
)

Explain = Callable[
    [Assignment, dict[str, list[CheckRun]], float],
    tuple[Mapping[str, Sequence[Explanation]], list[str]],
]  # (assignment, checks by exercise, seconds for each) -> (explanations by exercise, notes)

# of this process, by the value of `--sandbox` and the hidden folder
_walls: dict[tuple[str, Path], Walls] = {}
_choosing = Lock()  # a worker may have several threads


def prepare(
    settings: RunSettings, address: str | None = None, explain: Explain | None = None
) -> "Grader":
    """Return a grader with these settings, without walls for practice.

    `address`: of a running `ListeningParent`, or None. `explain`: finds explanations of failed
    checks. Walls are cached in this process. Raise `SandboxError` if they fail the self-test.
    """
    graders = settings.assignment.course.graders
    with _choosing:
        if (settings.sandbox, graders) not in _walls:
            _walls[settings.sandbox, graders] = choose_walls(settings.sandbox, (graders,), address)
    walls = _walls[settings.sandbox, graders]
    return Grader(settings.assignment, walls, seed=settings.seed, explain=explain)


def best_walls(course: Course) -> tuple[str, str]:
    """Return the best level of the sandbox that works here (NAMESPACES, LANDLOCK or PRACTICE), and
    the reason why no better level works, or "".
    """
    walls = choose_walls(BEST, (course.graders,))
    walls.close()
    return walls.level, walls.why


@dataclass(frozen=True)
class Grader:
    """Grades submissions of an assignment."""

    assignment: Assignment
    walls: CandidateSource
    limits: Limits = Limits()
    seed: int | None = None  # of the graders' random numbers; None: a new seed for each submission
    explain: Explain | None = None  # None: do not search for mistakes

    @property
    def settings(self) -> RunSettings:
        """The settings that go into the stamps of verdicts."""
        return RunSettings(self.assignment, self.walls.level, self.seed)

    def grade(self, student: str, notebook: Path) -> Graded:
        """Grade a notebook file, and return the outcome.

        A fault of the machine or of a grader makes the verdict `not_graded`, and is not raised. But
        raise `NoAnswer` if the machine ended the process that parses the notebook.
        """
        return self.grade_submission(read_submission(self.assignment, student, notebook))

    def grade_submission(self, submission: Submission) -> Graded:
        """Grade a parsed submission, and return the outcome.

        A fault of the machine or of a grader makes the verdict `not_graded`, and is not raised.
        """
        if submission.unreadable:
            return unreadable(self.settings, submission)
        begin = time.monotonic()
        verdict = empty(self.settings, submission, "graded")
        try:
            examined = self._examine(submission, verdict.stamp.seed)
        except (SandboxError, GraderError) as error:
            return ungraded(self.settings, submission, str(error))
        except MemoryError:
            return ungraded(self.settings, submission, TOO_MUCH_MEMORY)
        verdict = msgspec.structs.replace(
            verdict,
            points=fsum(result.points for result in examined.results),
            exercises=examined.results,
            repairs=[*submission.repairs, *examined.repairs],
            notes=examined.notes,
            stamp=verdict.stamp if examined.measured else verdict.stamp.by_wall_clock(),
            seconds=round(time.monotonic() - begin, 3),
        )
        runs = [run.without_recording() for run in examined.runs]
        return Graded(verdict, examined.outputs, runs, submission)

    def _examine(self, submission: Submission, seed: int) -> "Examination":
        """Examine a submission, in at most ATTEMPTS attempts if the walls or the machine fail."""
        backstop = within(self.limits.backstop_seconds)
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with limited_memory():
                    return examine(self, submission, seed, backstop)
            except SandboxError:
                self.walls.close()  # the next candidate comes from a new warm parent
                if attempt == ATTEMPTS:
                    raise
        raise AssertionError("the last attempt returned or raised")


@dataclass(frozen=True)
class Examination:
    """The results of examining a submission."""

    results: list[ExerciseResult]
    repairs: list[str]  # sentences on rebound names and on packages that the sandbox lacks
    notes: list[str]  # for staff
    runs: list[CheckRun]  # of all checks
    outputs: dict[str, list[dict]]  # of its cells, by id, in the format of a notebook
    measured: bool  # whether the system reports how long the candidate waited for a processor


def examine(grader: Grader, submission: Submission, seed: int, backstop: Deadline) -> Examination:
    """Run a submission's cells behind the walls, run every check, and explain failed checks.

    `seed`: for the random numbers of graders. `backstop`: the deadline in real time. Raise
    `SandboxError`, `GraderError` or `MemoryError` for faults of the machine or the graders.
    """
    assignment = grader.assignment
    clock = Clock(grader.limits, len(assignment.exercises), backstop)
    with Supervisor(grader.walls, clock, submission) as supervisor:
        candidate = Candidate(supervisor, assignment.aliases, assignment.signature)
        run = partial(
            run_checks,
            candidate=candidate,
            seed=seed,
            look_around=assignment.look_around,
            holds=lambda check: holds_for_solution(assignment, check),
        )
        runs = _run_mended(assignment.exercises, supervisor, run)
    if not assignment.course.takes_library_layers:
        runs = list(_without_library_layers(assignment, runs))
    results, unsearched = _results(grader, submission, supervisor, runs)
    broken = [f"`{check.exercise}`: {check.broke}" for check in runs if check.broke]
    notes = [*supervisor.lacks.notes(), *broken, *unsearched]
    repairs = [*about_rebound(submission, supervisor.rebound), *supervisor.lacks.repairs()]
    return Examination(
        results=results,
        repairs=repairs,
        notes=find_notes(assignment, submission, runs, notes),
        runs=runs,
        outputs=as_notebook_outputs(supervisor.outputs),
        measured=supervisor.measured,
    )


def _run_mended(
    exercises: Sequence[Exercise], supervisor: Supervisor, run: Callable[..., list[CheckRun]]
) -> list[CheckRun]:
    """Run every check. If a student may have mended an exercise before its check, run its checks
    there, too, and take the results with more points.
    """
    runs = run(exercises, begin_exercise=supervisor.begin_exercise)
    for exercise in exercises:
        at_answer = [check for check in runs if check.exercise == exercise.id]
        if not _may_have_been_mended(exercise.id, at_answer, supervisor):
            continue
        rebound = supervisor.rebound.get(exercise.id, [])
        at_check = run([exercise], begin_exercise=supervisor.begin_before_check)
        if _points(at_check) > _points(at_answer):
            runs = [check for check in runs if check not in at_answer] + at_check
        else:
            supervisor.rebound[exercise.id] = rebound
    return runs


def _may_have_been_mended(
    exercise: str, checks: Sequence[CheckRun], supervisor: Supervisor
) -> bool:
    """Whether checks failed, and a name got another value between the answer and its check."""
    # a helper that was mended there passed the visible check
    if all(check.passed for check in checks) or any(check.kind in ENDINGS for check in checks):
        return False
    try:
        return supervisor.differs_before_check(exercise)
    except CandidateLost:
        return False


def _without_library_layers(assignment: Assignment, runs: Sequence[CheckRun]) -> Iterator[CheckRun]:
    """Yield the results of checks, failed for exercises that use a library's layer as the answer."""
    parts = library_parts(assignment.library_parts, runs)
    layers = {  # classes only: functions of the library are allowed
        exercise: [path for path in paths if path.rpartition(".")[2][:1].isupper()]
        for exercise, paths in parts.items()
    }
    for run in runs:
        if not layers.get(run.exercise):
            yield run
            continue
        message = READY_MADE.format(shown(layers[run.exercise][0]))
        yield replace(run, passed=False, kind="wrong", message=message, recording=None)


def _points(checks: Iterable[CheckRun]) -> float:
    return fsum(check.points for check in checks)


def _results(
    grader: Grader, submission: Submission, supervisor: Supervisor, runs: list[CheckRun]
) -> tuple[list[ExerciseResult], list[str]]:
    """Return the result of each exercise, and notes on failed searches for mistakes."""
    checks = {
        exercise.id: [run for run in runs if run.exercise == exercise.id]
        for exercise in grader.assignment.exercises
    }
    for name, own_checks in checks.items():
        explain_missing(own_checks, name, supervisor)
    mistakes: Mapping[str, Sequence[Explanation]] = {}
    unsearched: list[str] = []
    if grader.explain:
        mistakes, unsearched = grader.explain(
            grader.assignment, checks, grader.limits.diagnosis_seconds
        )
    results = [
        exercise_result(
            name,
            exercise_state(name, own_checks, supervisor, name in submission.untouched),
            own_checks,
            mistakes.get(name, []),
        )
        for name, own_checks in checks.items()
    ]
    return results, unsearched
