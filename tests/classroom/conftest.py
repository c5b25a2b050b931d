"""Fixtures: a small class, and a pool of one worker that is the test's own process."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec.structs import replace as with_fields
from submissions import hand_in_comments

from autograder.classroom import worker
from autograder.classroom.pool import outcomes
from autograder.classroom.run import ClassRun
from autograder.engine.fingerprint import RunSettings
from autograder.engine.graded import Graded, empty
from autograder.engine.results import ResultsFolder
from autograder.engine.submission import Submission
from autograder.engine.verdict import Verdict, verdict_files


class WorkerLost(Exception):
    pass


class Pool:
    """A worker that reads notebooks as every worker does, and gives each the same points."""

    workers = 1
    LOST = (WorkerLost,)

    def __init__(self) -> None:
        self.graded: list[str] = []  # students, in order
        self.read: list[str] = []  # the same, of those whose notebooks were read
        self.points = 1.0
        self.faults: dict[str, Exception] = {}  # what grading raises, by student
        self.outputs: dict[str, list] = {}
        self.instead: dict[str, object] = {}  # what calls come to, by student

    def submit(self, function: Callable, /, *arguments) -> Future:
        settings, task = arguments
        self.settings = settings
        self.read.append(task.student)
        future: Future = Future()
        try:
            outcome = self.instead.get(task.student) or function(*arguments)
            if isinstance(outcome, Exception):
                raise outcome
            future.set_result(outcome)
        except Exception as error:
            future.set_exception(error)
        return future

    def grade(self, submission: Submission) -> Graded:
        self.graded.append(submission.student)
        if error := self.faults.get(submission.student):
            raise error
        verdict = with_fields(empty(self.settings, submission, "graded"), points=self.points)
        outputs = self.outputs if submission.student == "odd" else {}
        return Graded(verdict, outputs, [], submission)


@pytest.fixture
def pool(monkeypatch) -> Pool:
    pool = Pool()
    walls = SimpleNamespace(close=lambda: None)
    grader = SimpleNamespace(grade_submission=pool.grade, walls=walls)
    monkeypatch.setattr(worker, "prepare_worker", lambda settings: grader)
    monkeypatch.setattr(worker, "signal", SimpleNamespace(alarm=lambda _: None))  # pytest has one
    return pool


@pytest.fixture
def notebooks(small, tmp_path) -> dict[str, Path]:
    """Three submissions, each with another text."""
    return hand_in_comments(small, tmp_path / "submitted", ("s001", "odd", "s002"))


class Class:
    """Runs over one class, each of which knows what is written, and nothing else."""

    def __init__(self, settings: RunSettings, folder: Path, pool: Pool, notebooks: dict):
        self.settings = settings
        self.folder = folder
        self.pool = pool
        self.notebooks = notebooks
        self.results = ResultsFolder(folder / "results", settings.assignment)

    def run(self, seed: int | None = None, **options: bool) -> ClassRun:
        settings = replace(self.settings, seed=seed)
        return ClassRun(settings, self.results, self.folder / "submitted", **options)

    def grade(self, seed: int | None = None, **options: bool) -> ClassRun:
        """Grade the class; return the run. What the pool has noted is of this run."""
        self.pool.graded, self.pool.read = [], []
        run = self.run(seed, **options)
        try:
            for call, outcome in outcomes(self.pool, run.calls(self.notebooks)):
                run.keep(call, outcome)
        finally:
            run.close()
        return run

    @property
    def verdicts(self) -> dict[str, Verdict]:
        return {
            one.stem: self.results.verdict(one.stem) for one in verdict_files(self.results.folder)
        }

    @property
    def states(self) -> dict[str, str]:
        return {student: verdict.state for student, verdict in self.verdicts.items()}


@pytest.fixture
def group(small, tmp_path, pool, notebooks) -> Class:
    return Class(RunSettings(small), tmp_path, pool, notebooks)


@pytest.fixture
def settled(monkeypatch) -> None:
    """What has just been written counts as not to be written again within the same tick."""
    monkeypatch.setattr("autograder.files.TICK_SECONDS", 0.0)
