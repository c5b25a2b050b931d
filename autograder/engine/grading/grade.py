"""Grade one submission: from a notebook file to a verdict."""

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
]  # finds what explains failed checks, by exercise: assignment, checks by exercise, seconds for each

_walls: dict[
    tuple[str, Path], Walls
] = {}  # of this process, by the wanted level and what they have to hide
_choosing = Lock()  # a worker may have several threads


def prepare(
    settings: RunSettings, address: str | None = None, explain: Explain | None = None
) -> "Grader":
    """Return a grader with these settings. Its walls have passed the self-test, or there are none
    if the settings say practice. `address`: that of a `ListeningParent` that is running, or None;
    `explain`: finds what explains failed checks. Walls are cached in this process.

    Raise `SandboxError` if the walls fail the self-test.
    """
    graders = settings.assignment.course.graders
    with _choosing:
        if (settings.sandbox, graders) not in _walls:
            _walls[settings.sandbox, graders] = choose_walls(settings.sandbox, (graders,), address)
    walls = _walls[settings.sandbox, graders]
    return Grader(settings.assignment, walls, seed=settings.seed, explain=explain)


def best_walls(course: Course) -> tuple[str, str]:
    """Return the best level of the sandbox that works here (NAMESPACES, LANDLOCK or PRACTICE), and
    why no better one works, or "".
    """
    walls = choose_walls(BEST, (course.graders,))
    walls.close()
    return walls.level, walls.why


@dataclass(frozen=True)
class Grader:
    """Grades submissions of one assignment, with candidates from `walls`. `seed`: that of the
    graders' random numbers, or None for a new one for each submission; `explain`: finds what
    explains failed checks, or None to name no mistakes.
    """

    assignment: Assignment
    walls: CandidateSource
    limits: Limits = Limits()
    seed: int | None = None
    explain: Explain | None = None

    @property
    def settings(self) -> RunSettings:
        """The settings that the stamps of its verdicts are made of."""
        return RunSettings(self.assignment, self.walls.level, self.seed)

    def grade(self, student: str, notebook: Path) -> Graded:
        """Grade one notebook file; return the outcome. A fault of the machine or of a grader makes
        the verdict `not_graded`, and is not raised.

        Raise `NoAnswer` if the machine ended the process that parses the notebook.
        """
        return self.grade_submission(read_submission(self.assignment, student, notebook))

    def grade_submission(self, submission: Submission) -> Graded:
        """Grade a parsed submission; return the outcome. A fault of the machine or of a grader
        makes the verdict `not_graded`, and is not raised.
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
        """Examine a submission, again if the walls or the machine fail, in at most ATTEMPTS
        attempts.

        Raise the `SandboxError` of the last attempt, `GraderError` if a grader is at fault,
        `MemoryError` if the examiner runs out of memory.
        """
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
    """The results of examining one submission: of its exercises (`results`) and of all checks
    (`runs`), notes for staff, and the outputs of its cells by id, as a notebook has them.
    `repairs`: sentences on names that later cells gave other values, and on what the sandbox lacks;
    `measured`: whether it is known how long the submission waited for a processor.
    """

    results: list[ExerciseResult]
    repairs: list[str]
    notes: list[str]
    runs: list[CheckRun]
    outputs: dict[str, list[dict]]
    measured: bool


def examine(grader: Grader, submission: Submission, seed: int, backstop: Deadline) -> Examination:
    """Run a submission's cells behind the walls, run every check, and search for what explains those
    that failed; return the results.

    `seed`: for the random numbers of graders; `backstop`: the deadline in real time. Raise
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
    """Run every check; of an exercise that may have been mended before its checks, run them again
    there, and take what gives more points.
    """
    runs = run(exercises, begin_exercise=supervisor.begin_exercise)
    for exercise in exercises:
        own = [check for check in runs if check.exercise == exercise.id]
        if not _may_have_been_mended(exercise.id, own, supervisor):
            continue
        rebound = supervisor.rebound.get(exercise.id, [])
        again = run([exercise], begin_exercise=supervisor.begin_before_check)
        if _points(again) > _points(own):
            runs = [check for check in runs if check not in own] + again
        else:
            supervisor.rebound[exercise.id] = rebound
    return runs


def _may_have_been_mended(
    exercise: str, checks: Sequence[CheckRun], supervisor: Supervisor
) -> bool:
    """Whether checks failed and a name was given another value between the answer and its check: a
    helper that was mended there is what the student saw checked.
    """
    if all(check.passed for check in checks) or any(check.kind in ENDINGS for check in checks):
        return False
    try:
        return supervisor.differs_before_check(exercise)
    except CandidateLost:
        return False


def _without_library_layers(assignment: Assignment, runs: Sequence[CheckRun]) -> Iterator[CheckRun]:
    """Yield these results of checks. All checks of an exercise fail whose answer is made of a layer
    of the library that its statement asks students to write; a function of the library is none.
    """
    used = library_parts(assignment.library_parts, runs)
    layers = {
        exercise: [path for path in paths if path.rpartition(".")[2][:1].isupper()]
        for exercise, paths in used.items()
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
    """Return the result of each exercise, and a note on each exercise whose search for mistakes
    failed.

    `supervisor`: what ran the cells; `runs`: the results of all checks.
    """
    checks = {
        exercise.id: [run for run in runs if run.exercise == exercise.id]
        for exercise in grader.assignment.exercises
    }
    for name, some in checks.items():
        explain_missing(some, name, supervisor)
    mistakes: Mapping[str, Sequence[Explanation]] = {}
    unsearched: list[str] = []
    if grader.explain:
        mistakes, unsearched = grader.explain(
            grader.assignment, checks, grader.limits.diagnosis_seconds
        )
    results = [
        exercise_result(
            name,
            exercise_state(name, some, supervisor, name in submission.untouched),
            some,
            mistakes.get(name, []),
        )
        for name, some in checks.items()
    ]
    return results, unsearched
