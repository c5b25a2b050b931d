"""The loop over a pool: what is given when, what is tried again, and what ends it."""

import time
from collections import Counter
from concurrent.futures import Future

import pytest

from autograder import SandboxError
from autograder.classroom import pool as module
from autograder.classroom.pool import WorkItem, open_pool, outcomes
from autograder.classroom.worker import Failed, NoWorkers, Unchanged
from autograder.engine import RunSettings


class WorkerLost(Exception):
    pass


class Pool:
    """Workers that are done when a test says so; `fails` has what tasks raise, by student."""

    LOST = (WorkerLost,)
    ATTEMPTS = 3

    def __init__(self, workers: int = 1, **fails: Exception):
        self.workers = workers
        self.fails = fails
        self.given: list[str] = []
        self.in_flight: list[tuple[str, Future]] = []
        self.left: int | None = None  # tasks until no worker can be started

    def submit(self, function, /, student) -> Future:
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise NoWorkers("no memory")
        self.given.append(student)
        self.in_flight.append((student, Future()))
        return self.in_flight[-1][1]

    def work(self) -> None:
        """Be done with the oldest item."""
        for student, future in self.in_flight[:1]:
            del self.in_flight[0]
            error = self.fails.get(student)
            future.set_exception(error) if error else future.set_result(
                Unchanged(f"{student} is done")
            )


def items(*students: str | None):
    for student in students:
        yield student and WorkItem(student, str, (student,))


def run(pool: Pool, *students: str | None) -> dict:
    """Have the pool do this; return what came of each student's."""
    found = [
        (item.student, outcome) for item, outcome in outcomes(pool, items(*students), pool.work)
    ]
    assert max(Counter(student for student, _ in found).values()) == 1
    return dict(found)


@pytest.fixture(autouse=True)
def _short(monkeypatch):
    monkeypatch.setattr(module, "POLL_SECONDS", 0.01)


def test_each_call_has_its_outcome_also_where_there_is_none_for_a_while():
    pool = Pool(2, bad=ValueError("odd"))
    found = run(pool, "a", None, "bad", None, None, "b", "c")
    assert found["bad"] == Failed("a worker failed: ValueError: odd")
    assert [found[one] for one in "abc"] == [Unchanged(f"{one} is done") for one in "abc"]


def test_who_loses_workers_is_tried_alone_and_put_aside_and_the_others_are_done():
    pool, turns, beside = Pool(2, poison=WorkerLost()), [], []

    def turn() -> None:
        flight = [student for student, _ in pool.in_flight]
        if pool.given.count("poison") > 1 and "poison" in flight:
            beside.append(len(flight) - 1)
        turns.append(len(flight))
        if len(turns) % 3 == 0:  # so that there is time to give others
            pool.work()

    found = {
        item.student: outcome
        for item, outcome in outcomes(pool, items("a", "poison", *"bcdefg"), turn)
    }
    assert "3 workers were lost" in found.pop("poison").why and pool.given.count("poison") == 3
    assert found == {one: Unchanged(f"{one} is done") for one in "abcdefg"}
    assert beside and not any(beside)


def test_a_future_may_say_before_the_pool_that_workers_are_gone():
    found = run(Pool(1, b=NoWorkers("gone")), "a", "b", "c")
    assert found == {"a": Unchanged("a is done"), "b": Failed("gone"), "c": Failed("gone")}


def test_while_there_are_no_workers_nothing_is_given_and_turns_are_taken_slowly(monkeypatch):
    monkeypatch.setattr(module, "POLL_SECONDS", 0.05)
    pool, turns = Pool(1, a=WorkerLost()), []

    def turn() -> None:
        turns.append(time.monotonic())
        if pool.given and pool.fails:
            pool.workers, pool.fails = 0, {}  # the only one is lost, and joins again later
            pool.in_flight.pop()[1].set_exception(WorkerLost())
        if len(turns) == 8:
            pool.workers = 1
        pool.work()

    assert [outcome for _, outcome in outcomes(pool, items("a"), turn)] == [Unchanged("a is done")]
    assert pool.given == ["a", "a"] and turns[7] - turns[2] >= 5 * 0.05


@pytest.mark.parametrize("error", [SandboxError("no namespaces"), NoWorkers("no memory")])
def test_without_walls_or_any_workers_nothing_goes_on(error):
    with pytest.raises(type(error), match=str(error)):
        run(Pool(2, a=error), "a", "b", "c")


@pytest.mark.parametrize("comes_more", [False, True])
def test_without_workers_later_each_that_is_left_is_told(comes_more):
    pool, found = Pool(1), []
    pool.left = 3
    rest = items("a", "b", "c", "d", "e", *([None] if comes_more else []), "f")
    try:
        for item, outcome in outcomes(pool, rest, pool.work):
            found.append((item.student, type(outcome)))
    except NoWorkers:
        assert comes_more
    left = "cde" if comes_more else "cdef"
    assert sorted(found) == [("a", Unchanged), ("b", Unchanged), *((one, Failed) for one in left)]


def test_workers_that_there_is_no_memory_for_are_not_started(small, monkeypatch):
    monkeypatch.setattr("autograder.engine.limits.memory.machine_memory", lambda: 3 << 30)
    monkeypatch.setattr("autograder.engine.limits.machine_memory", lambda: 3 << 30)
    told: list[str] = []
    asked = []

    def local_pool(level, workers):
        asked.append(workers)
        raise NoWorkers

    monkeypatch.setattr("autograder.classroom.pool.local_pool", local_pool)
    with pytest.raises(NoWorkers), open_pool(RunSettings(small), 3, tell=told.append):
        pass
    assert asked == [1]
    assert told == ["1 worker instead of 3: this machine has 3.0 GiB of memory."]
