"""Fixtures: a small class, and a pool of one worker that is the test's own process."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec.structs import replace as with_fields
from submissions import hand_in_comments

from autograder import CheckResult, ExerciseResult, Verdict
from autograder.classroom import worker
from autograder.classroom.pool import outcomes
from autograder.classroom.run import ClassRun
from autograder.engine import Graded, ResultsFolder, RunSettings, Submission, grading, verdicts


class WorkerLost(Exception):
    pass


class Pool:
    """A worker that reads notebooks as every worker does, and gives each the same points."""

    workers = 1
    LOST = (WorkerLost,)

    def __init__(self) -> None:
        self.graded: list[str] = []  # students, in order
        self.read: list[str] = []  # the same, of those whose notebooks were read
        self.state = "graded"
        self.checks = {"values": 1.0}  # points of each check of the first exercise
        self.alarms: list[int] = []  # that were set, in seconds
        self.walls_closed = 0  # times
        self.mend()

    def mend(self) -> None:
        """Forget all faults."""
        self.faults: dict[str, Exception] = {}  # what grading raises, by student
        self.outputs: dict[str, dict[str, list]] = {}  # of cells, by student
        self.outcomes: dict[str, object] = {}  # what tasks come to, by student

    def submit(self, function: Callable, /, settings: RunSettings, task: worker.Task) -> Future:
        self.settings = settings
        self.read.append(task.student)
        future: Future = Future()
        try:
            outcome = self.outcomes.get(task.student) or function(settings, task)
            if isinstance(outcome, Exception):
                raise outcome
            future.set_result(outcome)
        except Exception as error:
            future.set_exception(error)
        return future

    def grade_submission(self, submission: Submission) -> Graded:
        self.graded.append(submission.student)
        if error := self.faults.get(submission.student):
            raise error
        outputs = self.outputs.get(submission.student, {})
        return Graded(self.verdict(self.settings, submission), outputs, ["run"], submission)

    def verdict(self, settings: RunSettings, submission: Submission) -> Verdict:
        checks = [
            CheckResult(f"test_{name}", points, 2.0, points == 2, None)
            for name, points in self.checks.items()
        ]
        points = sum(self.checks.values())
        id = settings.assignment.exercises[0].id
        exercise = ExerciseResult(id, "answered", points, 4.0, checks, [])
        empty = grading.ungraded(settings, submission, "").verdict
        return with_fields(
            empty, state=self.state, points=points, exercises=[exercise], reason=None
        )

    @property
    def walls(self) -> "Pool":
        return self

    def close(self) -> None:
        self.walls_closed += 1


@pytest.fixture
def pool(monkeypatch) -> Pool:
    pool = Pool()
    monkeypatch.setattr(worker, "prepare_worker", lambda settings: pool)
    clock = SimpleNamespace(alarm=pool.alarms.append)  # pytest has one of its own
    monkeypatch.setattr(worker, "signal", clock)
    return pool


class Class:
    """Runs over one class, each of which knows what is written, and nothing else."""

    def __init__(self, settings: RunSettings, folder: Path, pool: Pool):
        self.settings = settings
        self.folder = folder
        self.pool = pool
        self.notebooks: dict[str, Path] = {}
        self.results = ResultsFolder(folder / "results", settings.assignment)

    def hand_in(self, *students: str) -> None:
        """Have the class be these, each with another text."""
        place = self.folder / "submitted"
        self.notebooks = hand_in_comments(self.settings.assignment, place, students)

    def run(self, seed: int | None = None, **options: bool) -> ClassRun:
        settings = replace(self.settings, seed=seed)
        return ClassRun(settings, self.results, self.folder / "submitted", **options)

    def grade(self, seed: int | None = None, killed: bool = False, **options: bool) -> ClassRun:
        """Grade the class; return the run. What the pool has noted is of this run."""
        self.pool.graded, self.pool.read = [], []
        run = self.run(seed, **options)
        try:
            for item, outcome in outcomes(self.pool, run.items(self.notebooks)):
                run.record(item, outcome)
        finally:
            if not killed:
                run.close()
        return run

    @property
    def verdicts(self) -> dict[str, Verdict]:
        files = verdicts.verdict_files(self.results.folder)
        return {file.stem: self.results.verdict(file.stem) for file in files}

    @property
    def states(self) -> dict[str, str]:
        return {student: verdict.state for student, verdict in self.verdicts.items()}


@pytest.fixture
def group(small, tmp_path, pool) -> Class:
    group = Class(RunSettings(small), tmp_path, pool)
    group.hand_in("s001", "odd", "s002")
    return group
