"""The workers of this machine: lost ones, stalled ones, and examiners that do not come up."""

import os

import psutil
import pytest
import worker_tasks

from autograder.classroom import local_pool
from autograder.classroom.errors import NoWalls, NoWorkers
from autograder.classroom.local_pool import LocalPool
from autograder.classroom.waiting import QUEUE_LENGTH
from autograder.engine.fingerprint import RunSettings
from autograder.engine.process import Limits
from autograder.engine.submission import Submission

pytestmark = pytest.mark.walls

NAMES = ["s001", "poison", *(f"s{number:03}" for number in range(2, 8))]


@pytest.fixture
def settings(small) -> RunSettings:
    return RunSettings(small, seed=1)


@pytest.fixture
def grade(settings):
    """Have a task done with these submissions by two workers; return verdicts, by student."""

    def run(task, names=NAMES) -> dict:
        with LocalPool(settings, 2, task) as pool:
            results = list(pool.grade([Submission([], name) for name in names]))
        assert len(results) == len(names)
        return {one.verdict.student: one.verdict for one in results}

    return run


def test_each_submission_has_a_result_and_nothing_is_left(grade):
    assert {one.state for one in grade(worker_tasks.computes).values()} == {"graded"}
    below = psutil.Process().children(recursive=True)
    assert not [one for one in below if "classroom.examiners" in " ".join(one.cmdline())]


def test_a_submission_that_ends_its_workers_is_put_aside(grade):
    found = grade(worker_tasks.kills_its_worker)
    assert "3 workers were lost" in found["poison"].reason
    assert {found[name].state for name in NAMES if name != "poison"} == {"graded"}


class Arriving:
    """A source that has one submission at every turn at which there is room, and then none for a while."""

    def __init__(self, *names: str):
        self.names = [*names]
        self.ended = False
        self.asked: list[int] = []

    def take(self, most: int) -> list[Submission]:
        self.asked.append(most)
        if most and self.names:
            return [Submission([], self.names.pop(0))]
        self.ended = not self.names
        return []


@pytest.mark.long
def test_workers_take_what_arrives_and_stay_for_what_comes_later(settings):
    source = Arriving(*NAMES)
    with LocalPool(settings, 2, worker_tasks.computes) as pool:
        found = [one.verdict.student for one in pool.grade((), source)]
        first = {worker.number for worker in pool.workers}
        later = [one.verdict.student for one in pool.grade((), Arriving("s009"))]
        assert {worker.number for worker in pool.workers} == first
    assert sorted(found) == sorted(NAMES) and later == ["s009"]
    assert max(source.asked) == 2 * QUEUE_LENGTH and min(source.asked) >= 0


def test_where_examiners_are_lost_others_go_on(grade, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s003").touch()
    assert {one.state for one in grade(worker_tasks.kills_examiners).values()} == {"graded"}
    assert not (tmp_path / "s003").exists()


def test_a_worker_that_stalls_is_killed(grade, monkeypatch):
    monkeypatch.setattr(Limits, "patience_seconds", 0.5)
    monkeypatch.setattr(local_pool, "POLL_SECONDS", 0.1)
    found = grade(worker_tasks.never_ends, ["s001", "poison"])
    assert found["s001"].state == "graded" and "3 workers were lost" in found["poison"].reason


def test_what_a_task_raises_is_one_students(grade):
    (verdict,) = grade(worker_tasks.raises, ["s001"]).values()
    assert verdict.state == "not_graded"
    assert verdict.reason == "a worker failed: ZeroDivisionError: odd"


def test_examiners_that_do_not_come_up_are_not_waited_for(grade, monkeypatch):
    monkeypatch.setattr(local_pool, "START_SECONDS", 0.05)
    with pytest.raises(NoWorkers, match="cannot be started here: .*fewer --jobs"):
        grade(worker_tasks.computes)


def test_without_walls_nothing_is_graded(grade, monkeypatch, tmp_path):
    (tmp_path / "bwrap").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(NoWalls, match="The sandbox does not work"):
        grade(worker_tasks.computes)
