"""The loop over a pool: what is submitted when, what is tried again, and what ends it; and what a
worker does by itself.
"""

import os
import subprocess
import sys
import time
from concurrent.futures import Future
from itertools import chain

import pytest

from autograder import SandboxError
from autograder.classroom import worker
from autograder.classroom.pool import WorkItem, open_pool, outcomes
from autograder.classroom.worker import Failed, NoWorkers, Task, Unchanged
from autograder.engine import RunSettings, limits

FIRST = 1_000_000 + 2 * os.getpid()  # a number that is no processor's


class WorkerLost(Exception):
    pass


class Workers:
    """Workers that are done when a test says so; `fails` has what tasks raise, by student."""

    LOST = (WorkerLost,)
    ATTEMPTS = 3

    def __init__(self, workers: int = 1, room: int = 99, **fails: Exception):
        self.workers = workers
        self.room = room  # tasks until no worker can be started
        self.fails = fails
        self.submitted: list[str] = []
        self.in_flight: list[tuple[str, Future]] = []

    def submit(self, function, /, student) -> Future:
        if len(self.submitted) == self.room:
            raise NoWorkers("no memory")
        self.submitted.append(student)
        self.in_flight.append((student, Future()))
        return self.in_flight[-1][1]

    def work(self) -> None:
        """Be done with the oldest item."""
        if self.in_flight:
            student, future = self.in_flight.pop(0)
            if error := self.fails.get(student):
                future.set_exception(error)
            else:
                future.set_result(Unchanged(student))


def run(pool: Workers, *students: str | None, turn=None, done: dict | None = None) -> dict:
    """Run this; return what came of each student's, which is put into `done`, if that is there."""
    items = (student and WorkItem(student, str, (student,)) for student in students)
    done = {} if done is None else done
    for item, outcome in outcomes(pool, items, turn or pool.work):
        assert item.student not in done
        done[item.student] = outcome
    return done


def unchanged(students: str) -> dict:
    return {student: Unchanged(student) for student in students}


@pytest.fixture(autouse=True)
def _short(monkeypatch):
    monkeypatch.setattr("autograder.classroom.pool.POLL_SECONDS", 0.01)


def test_each_call_has_its_outcome_also_where_there_is_none_for_a_while():
    done = run(Workers(2, x=ValueError("odd")), "a", None, "x", None, None, "b", "c")
    assert done == {"x": Failed("a worker failed: ValueError: odd"), **unchanged("abc")}


def test_who_loses_workers_is_tried_alone_and_put_aside_and_the_others_are_done():
    pool, turns, beside = Workers(2, x=WorkerLost()), [], []

    def turn() -> None:
        in_flight = [student for student, _ in pool.in_flight]
        if pool.submitted.count("x") > 1 and "x" in in_flight:
            beside.append(len(in_flight) - 1)
        turns.append(len(in_flight))
        if len(turns) % 3 == 0:  # so that there is time to submit others
            pool.work()

    done = run(pool, *"axbcdefg", turn=turn)
    assert "3 workers were lost" in done.pop("x").why and pool.submitted.count("x") == 3
    assert done == unchanged("abcdefg") and beside and not any(beside)


def test_while_there_are_no_workers_nothing_is_submitted_and_turns_are_taken_slowly(monkeypatch):
    monkeypatch.setattr("autograder.classroom.pool.POLL_SECONDS", 0.05)
    pool, turns = Workers(1, a=WorkerLost()), []

    def turn() -> None:
        turns.append(time.monotonic())
        lost = bool(pool.submitted and pool.fails)
        pool.work()
        if lost:  # the only one, which joins again later
            pool.workers, pool.fails = 0, {}
        if len(turns) == 8:
            pool.workers = 1

    assert run(pool, "a", turn=turn) == unchanged("a")
    assert pool.submitted == ["a", "a"] and turns[7] - turns[2] >= 5 * 0.05


@pytest.mark.parametrize("error", [SandboxError("no namespaces"), NoWorkers("no memory")])
def test_without_walls_or_any_workers_nothing_goes_on(error):
    with pytest.raises(type(error), match=str(error)):
        run(Workers(2, a=error), "a", "b", "c")


def test_without_workers_later_each_that_is_left_is_told():
    gone = Failed("gone")  # which a future may say before the pool
    assert run(Workers(b=NoWorkers("gone")), *"abc") == unchanged("a") | {"b": gone, "c": gone}
    no_memory = Failed("no memory")
    done = run(Workers(room=3), *"abcdef")
    assert done == unchanged("ab") | dict.fromkeys("cdef", no_memory)
    done = {}
    with pytest.raises(NoWorkers):  # where more may come
        run(Workers(room=3), *"abcde", None, "f", done=done)
    assert done == unchanged("ab") | dict.fromkeys("cde", no_memory)


def test_workers_that_there_is_no_memory_for_are_not_started(small, monkeypatch):
    def local_pool(level: str, workers: int):
        raise NoWorkers(f"{workers} of {level}")

    for name in ("limits.memory.machine_memory", "limits.machine_memory"):
        monkeypatch.setattr(f"autograder.engine.{name}", lambda: 3 << 30)
    monkeypatch.setattr("autograder.classroom.pool.local_pool", local_pool)
    sentences: list[str] = []
    settings = RunSettings(small)
    with pytest.raises(NoWorkers, match="^1 of"), open_pool(settings, 3, tell=sentences.append):
        pass
    assert sentences == ["1 worker instead of 3: this machine has 3.0 GiB of memory."]


def test_each_worker_claims_one_processor_as_long_as_it_lives(monkeypatch):
    claims: list[list[int]] = []  # of each worker
    processors: list[set[int]] = []  # to which they are restricted, one after the other
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {FIRST, FIRST + 1})
    monkeypatch.setattr(os, "sched_setaffinity", lambda _, wanted: processors.append(wanted))

    def claim(times: int = 1) -> None:
        claims.append([])
        monkeypatch.setattr(worker, "_claim", claims[-1])
        for _ in range(times):
            worker.claim_a_processor()

    claim(times=2)
    claim()
    claim()
    assert processors == [{FIRST}, {FIRST + 1}] and claims[2] == [], "all are claimed"
    os.close(claims[0].pop())
    claim()
    assert processors == [{FIRST}, {FIRST + 1}, {FIRST}]
    for descriptor in chain.from_iterable(claims):
        os.close(descriptor)


def test_a_worker_is_ended_if_it_hangs_and_sends_back_no_more_than_is_kept(pool, small):
    task = Task("s001", "n.ipynb", small.release.read_bytes())
    graded = pool.submit(worker.grade, RunSettings(small, seed=1), task).result()
    assert graded.verdict.state == "graded" and graded.runs == []
    assert pool.alarms == [limits.Limits().alarm_seconds, 0]


@pytest.mark.slow
def test_the_process_that_runs_a_class_does_not_import_torch():
    modules = "gradebook.commands.grade gradebook.commands.enter classroom.local_pool "
    modules += "classroom.dask_cluster"
    names = ", ".join(f"autograder.{name}" for name in modules.split())
    code = f"import sys, {names}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
