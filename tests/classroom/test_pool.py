"""The loop over a pool: what is given when, what is tried again, and what ends it."""

import time
from collections import Counter
from concurrent.futures import Future

import pytest

from autograder.classroom import pool as module
from autograder.classroom.pool import Call, open_pool, outcomes, processors
from autograder.classroom.worker import LostWorkers, NoWorkers
from autograder.engine.fingerprint import RunSettings
from autograder.engine.process import SandboxError


class WorkerLost(Exception):
    pass


class Pool:
    """Workers that are done when a test says so; `fails` has what calls raise, by student."""

    LOST = (WorkerLost,)
    ATTEMPTS = 3

    def __init__(self, workers: int = 1, **fails: Exception):
        self.workers = workers
        self.fails = fails
        self.given: list[str] = []
        self.in_flight: list[tuple[str, Future]] = []
        self.left: int | None = None  # calls until no worker can be started

    def submit(self, function, /, student) -> Future:
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise NoWorkers("no memory")
        self.given.append(student)
        self.in_flight.append((student, Future()))
        return self.in_flight[-1][1]

    def work(self) -> None:
        """Be done with the oldest call."""
        for student, future in self.in_flight[:1]:
            del self.in_flight[0]
            error = self.fails.get(student)
            future.set_exception(error) if error else future.set_result(f"{student} is done")


def calls(*students: str | None):
    for student in students:
        yield student and Call(student, str, (student,))


def run(pool: Pool, *students: str | None) -> dict:
    """Have the pool do this; return what came of each student's."""
    found = [
        (call.student, outcome) for call, outcome in outcomes(pool, calls(*students), pool.work)
    ]
    assert max(Counter(student for student, _ in found).values()) == 1
    return dict(found)


@pytest.fixture(autouse=True)
def _short(monkeypatch):
    monkeypatch.setattr(module, "POLL_SECONDS", 0.01)


def test_each_call_has_its_outcome_also_where_there_is_none_for_a_while():
    pool = Pool(2, bad=ValueError("odd"))
    found = run(pool, "a", None, "bad", None, None, "b", "c")
    assert [str(found[one]) for one in ("a", "bad", "b")] == ["a is done", "odd", "b is done"]


def test_each_worker_has_two_and_the_next_is_taken_when_there_is_room():
    pool, asked = Pool(2), []

    def noted():
        for call in calls(*"abcdefgh"):
            asked.append(call.student)
            yield call

    for done, _ in enumerate(outcomes(pool, noted(), pool.work), 1):
        assert len(asked) == min(8, done + 3) and len(pool.in_flight) <= 4
    assert asked == [*"abcdefgh"] == pool.given


def test_who_loses_workers_is_tried_alone_and_put_aside_and_the_others_are_done():
    pool = Pool(2, poison=WorkerLost())
    found = run(pool, "a", "poison", "b", "c")
    assert pool.given.count("poison") == 3
    assert isinstance(found["poison"], LostWorkers) and "3 workers were lost" in str(
        found["poison"]
    )
    assert {found[one] for one in "abc"} == {"a is done", "b is done", "c is done"}


def test_what_was_lost_once_goes_before_what_was_not_begun():
    pool = Pool(1, a=WorkerLost())

    def work() -> None:
        if len(pool.given) == 3:
            pool.fails = {}
        pool.work()

    found = [call.student for call, _ in outcomes(pool, calls(*"abcd"), work)]
    assert pool.given[:4] == ["a", "b", "a", "c"] and sorted(found) == [*"abcd"]


def test_what_is_tried_again_is_alone():
    pool, flights = Pool(2, poison=WorkerLost()), []

    def turn() -> None:
        flights.append([student for student, _ in pool.in_flight])
        if len(flights) % 3 == 0:  # so that there is time to give others
            pool.work()

    assert len(list(outcomes(pool, calls("a", "poison", *"bcdefg"), turn))) == 8
    assert ["poison"] in flights
    begun = flights.index(["poison"])
    assert all(flight == ["poison"] for flight in flights[begun:] if "poison" in flight)


def test_workers_that_are_gone_in_the_end_are_told_in_the_same_way():
    """A future may say it before the pool does."""
    with pytest.raises(NoWorkers, match="gone"):
        run(Pool(2, a=NoWorkers("gone")), "a", "b")
    found = run(Pool(1, b=NoWorkers("gone")), "a", "b", "c")
    assert {one: type(what) for one, what in found.items()} == {
        "a": str,
        "b": NoWorkers,
        "c": NoWorkers,
    }


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

    assert [outcome for _, outcome in outcomes(pool, calls("a"), turn)] == ["a is done"]
    assert pool.given == ["a", "a"] and turns[7] - turns[2] >= 5 * 0.05


def test_without_walls_nothing_goes_on():
    with pytest.raises(SandboxError, match="no namespaces"):
        run(Pool(2, b=SandboxError("no namespaces")), "a", "b", "c")


def test_without_workers_from_the_beginning_that_is_said():
    pool = Pool()
    pool.left = 0
    with pytest.raises(NoWorkers, match="no memory"):
        run(pool, "a", "b")


@pytest.mark.parametrize("comes_more", [False, True])
def test_without_workers_later_each_that_is_left_is_told(comes_more):
    pool, found = Pool(1), []
    pool.left = 3
    rest = calls("a", "b", "c", "d", "e", *([None] if comes_more else []), "f")
    try:
        for call, outcome in outcomes(pool, rest, pool.work):
            found.append((call.student, type(outcome)))
    except NoWorkers:
        assert comes_more
    left = "cde" if comes_more else "cdef"
    assert sorted(found) == [("a", str), ("b", str), *((one, NoWorkers) for one in left)]


def test_there_is_a_processor():
    assert processors() >= 1


def test_workers_that_there_is_no_memory_for_are_not_started(small, monkeypatch):
    monkeypatch.setattr("autograder.engine.memory.machine_memory", lambda: 3 << 30)
    monkeypatch.setattr(module, "machine_memory", lambda: 3 << 30)
    told: list[str] = []
    asked = []

    def local_pool(level, workers):
        asked.append(workers)
        raise NoWorkers

    monkeypatch.setattr("autograder.classroom.local_pool.local_pool", local_pool)
    with pytest.raises(NoWorkers), open_pool(RunSettings(small), 3, tell=told.append):
        pass
    assert asked == [1]
    assert told == ["1 worker instead of 3: this machine has 3.0 GiB of memory."]
