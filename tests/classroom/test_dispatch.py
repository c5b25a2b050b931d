"""Who grades: this process where one is enough, with one seed for a whole class."""

from dataclasses import replace

import pytest

from autograder.classroom.dispatch import grade_all, processors
from autograder.classroom.errors import NoWalls
from autograder.engine.fingerprint import RunSettings
from autograder.engine.graded import Graded, empty
from autograder.engine.submission import Submission

CLASS = [Submission([], student) for student in ("s001", "s002", "s003")]


@pytest.fixture
def seeds(small, monkeypatch):
    """Have a class graded in this process; return which seed each submission was given."""
    monkeypatch.setattr("autograder.classroom.dispatch.prepare_worker", lambda settings: None)
    found = []

    def task(settings: RunSettings, submission: Submission) -> Graded:
        found.append(settings.seed)
        return Graded(empty(settings, submission, "graded"))

    def run(
        settings: RunSettings, submissions=CLASS, jobs: int = 1, tell=print
    ) -> list[int | None]:
        graded = list(grade_all(submissions, settings, jobs, task=task, tell=tell))
        assert [one.verdict.student for one in graded] == [one.student for one in submissions]
        return found

    return run


def test_a_class_has_one_seed(small, seeds):
    (seed,) = set(seeds(RunSettings(small)))
    assert isinstance(seed, int)


def test_a_seed_that_was_said_is_kept(small, seeds):
    assert seeds(RunSettings(small, seed=7)) == [7, 7, 7]


def test_one_submission_needs_no_workers(small, seeds, monkeypatch):
    monkeypatch.setattr("autograder.classroom.local_pool.Examiners", pytest.fail)
    assert len(seeds(RunSettings(small), CLASS[:1], jobs=8)) == 1
    assert len(seeds(RunSettings(small), [], jobs=8)) == 1


def test_without_walls_nothing_is_graded(small, monkeypatch):
    def refuse(settings: RunSettings) -> None:
        raise NoWalls("no namespaces")

    monkeypatch.setattr("autograder.classroom.dispatch.prepare_worker", refuse)
    with pytest.raises(NoWalls):
        list(grade_all(CLASS, replace(RunSettings(small), seed=1), 1, task=pytest.fail))


def test_there_is_a_processor():
    assert processors() >= 1


def test_workers_that_there_is_no_memory_for_are_not_started(small, seeds, monkeypatch):
    monkeypatch.setattr("autograder.engine.memory.machine_memory", lambda: 3 << 30)
    monkeypatch.setattr("autograder.classroom.dispatch.machine_memory", lambda: 3 << 30)
    monkeypatch.setattr("autograder.classroom.local_pool.Examiners", pytest.fail)
    told: list[str] = []
    assert len(seeds(RunSettings(small, seed=7), jobs=3, tell=told.append)) == 3
    assert told == ["1 worker instead of 3: this machine has 3.0 GiB of memory."]
