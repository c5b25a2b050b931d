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

    def run(settings: RunSettings, submissions=CLASS, jobs: int = 1) -> list[int | None]:
        graded = list(grade_all(submissions, settings, jobs, task=task))
        assert [one.verdict.student for one in graded] == [one.student for one in submissions]
        return found

    return run


def test_a_class_has_one_seed(small, seeds):
    (seed,) = set(seeds(RunSettings(small)))
    assert isinstance(seed, int)


def test_a_seed_that_was_said_is_kept(small, seeds):
    assert seeds(RunSettings(small, seed=7)) == [7, 7, 7]


def test_one_submission_needs_no_workers(small, seeds, monkeypatch):
    monkeypatch.setattr("autograder.classroom.dask_cluster._start_workers", pytest.fail)
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
