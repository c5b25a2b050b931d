"""What a result costs does not grow with the workers, and submissions are taken as workers need them."""

import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

from autograder.classroom import (
    admission,
    packed,
    scheduler,
    second_tries,
    waiting,
    worker_news,
    workers,
)
from autograder.classroom.scheduler import FETCH_AT_ONCE, Scheduler
from autograder.classroom.waiting import QUEUE_LENGTH, Waiting
from autograder.classroom.worker import own_versions
from autograder.engine.fingerprint import RunSettings
from autograder.engine.graded import Graded, empty, ungraded
from autograder.engine.submission import Submission

MODULES = admission, packed, scheduler, second_tries, waiting, worker_news, workers
ON_ONE_HOST = 4  # workers
OURS = {module.__file__ for module in MODULES}


@pytest.fixture(autouse=True)
def _no_walls(monkeypatch):
    """Workers report their versions without trying walls."""
    monkeypatch.setattr(scheduler, "report_versions", own_versions)


@dataclass
class InventedFuture:
    """Done as soon as somebody asks for it."""

    key: str
    answer: object
    status: str = "finished"
    late: int = 0  # how often it does not come over in time

    def add_done_callback(self, put) -> None:
        put(self)

    def result(self, timeout: float | None = None) -> object:
        if self.late:
            self.late -= 1
            raise TimeoutError
        return self.answer

    def cancel(self) -> None:
        pass


@dataclass
class InventedClient:
    """A cluster whose workers answer at once, in the order in which they were asked."""

    settings: RunSettings
    workers: int
    status: str = "running"
    asked: list[tuple[str, object]] = field(default_factory=list)  # the worker, what it answered
    late: dict[int, int] = field(default_factory=dict)  # how often, by the number of the task
    broken: set[str] = field(default_factory=set)  # workers that can grade nothing
    fetched: list[int] = field(default_factory=list)  # how many together

    def nthreads(self) -> dict[str, int]:
        return {f"tls://10.0.{n // ON_ONE_HOST}.1:{n}": 1 for n in range(self.workers)}

    def submit(self, read, packed, workers, **_: object) -> InventedFuture:
        answer = read(packed)
        if isinstance(answer, Graded) and workers[0] in self.broken:
            answer = ungraded(
                self.settings, Submission([], answer.verdict.student), "no space left"
            )
        self.asked.append((workers[0], answer))
        number = len(self.asked)
        return InventedFuture(f"key-{number}", answer, late=self.late.get(number, 0))

    def gather(self, futures, errors, asynchronous) -> dict[str, object]:
        self.fetched.append(len(futures))
        return {key: future.result() for key, future in futures.items()}

    def sync(self, act, callback_timeout: float) -> object:
        return act()


def at_once(settings: RunSettings, submission: Submission) -> Graded:
    return Graded(empty(settings, submission, "graded"))


@contextmanager
def counted_lines() -> Iterator[list[int]]:
    """Count the lines of ours that are run."""
    lines = [0]

    def trace(frame, event, argument):
        if frame.f_code.co_filename not in OURS:
            return None
        lines[0] += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield lines
    finally:
        sys.settrace(before)


def graded(small, workers: int, submissions, tell=id) -> tuple[Scheduler, Iterator[Graded]]:
    settings = RunSettings(small)
    tested = Scheduler(InventedClient(settings, workers), settings, at_once, tell)
    return tested, tested.grade(submissions)


def broken_hosts(tested: Scheduler, hosts: int) -> None:
    tested.client.broken = set(list(tested.client.nthreads())[: hosts * ON_ONE_HOST])


def numbered(count: int) -> Iterator[Submission]:
    return (Submission([], f"s{number}") for number in range(count))


def lines_of_results(small, workers: int, results: int = 4 * FETCH_AT_ONCE) -> int:
    """How many lines so many results take while all workers are busy."""
    tested, stream = graded(small, workers, numbered(10_000))
    while not len(tested.workers.assigned) > (QUEUE_LENGTH - 1) * workers:  # all have something
        next(stream)
    for _ in range(2 * workers):
        next(stream)
    with counted_lines() as lines:
        for _ in range(results):
            next(stream)
    stream.close()
    return lines[0]


def lines_of_failures(small, workers: int, submissions: int = 300) -> int:
    """How many lines so many submissions more take where no worker can grade anything."""
    totals = []
    for count in (submissions, 2 * submissions):
        tested, stream = graded(small, workers, numbered(count))
        broken_hosts(tested, workers)
        with counted_lines() as lines:
            assert sum(1 for _ in stream) == count
        totals.append(lines[0])
    return totals[1] - totals[0]


def test_a_result_costs_the_same_with_many_workers(small, monkeypatch):
    monkeypatch.setattr(scheduler, "POLL_SECONDS", 60.0)  # the first poll only
    few, many = (lines_of_results(small, workers) for workers in (5, 200))
    assert few > 0 and many < 1.5 * few


@pytest.mark.parametrize("workers", [1, 7])
def test_no_more_submissions_are_taken_than_workers_have(small, workers):
    taken: deque[str] = deque()

    def one_by_one() -> Iterator[Submission]:
        for submission in numbered(100):
            taken.append(submission.student)
            yield submission

    done = 0
    for one in graded(small, workers, one_by_one())[1]:
        done += 1
        assert len(taken) <= done + QUEUE_LENGTH * workers + 1
        assert one.verdict.student in taken
    assert done == 100


def test_every_worker_gets_some_and_none_more_than_its_queue(small):
    tested, stream = graded(small, 6, numbered(60))
    students = []
    for one in stream:
        students.append(one.verdict.student)
        assert all(
            len(worker.assigned) <= QUEUE_LENGTH for worker in tested.workers.by_address.values()
        )
    assert sorted(students) == sorted(f"s{number}" for number in range(60))
    asked = [worker for worker, answer in tested.client.asked if isinstance(answer, Graded)]
    assert {asked.count(worker) for worker in set(asked)} == {10} and len(set(asked)) == 6


def test_what_was_put_back_comes_before_what_was_not_taken_yet(small):
    tested = Waiting(RunSettings(small), numbered(3))
    assert tested
    first = tested.submissions.popleft()
    assert tested and list(tested.take_back([first], None)) == []
    order = []
    while tested:
        order.append(tested.submissions.popleft().student)
    assert order == ["s0", "s1", "s2"]


def test_results_come_over_together(small):
    tested, stream = graded(small, 30, numbered(300))
    assert len(list(stream)) == 300
    assert sum(tested.client.fetched) > 200 and max(tested.client.fetched) <= FETCH_AT_ONCE


def test_a_result_that_does_not_come_over_holds_up_the_others_once(small):
    tested, stream = graded(small, 30, numbered(300))
    tested.client.late = {40: 4, 150: 1}
    assert sorted(one.verdict.student for one in stream) == sorted(f"s{n}" for n in range(300))
    assert sum(tested.client.fetched) <= 300  # once each, and the late ones not a second time


def test_what_a_broken_host_could_not_grade_is_graded_elsewhere(small):
    told: list[str] = []
    tested, stream = graded(small, 12, numbered(100), told.append)
    broken_hosts(tested, 1)
    states = {one.verdict.student: one.verdict.state for one in stream}
    assert len(states) == 100 and set(states.values()) == {"graded"}
    assert sum("gets nothing to do" in sentence for sentence in told) == ON_ONE_HOST


class Arriving:
    """A source of submissions that has one at a time, and a student's second one in the end."""

    def __init__(self, students: list[str]):
        self.students = deque(students)
        self.ended = False

    def take(self, most: int) -> list[Submission]:
        taken = [
            Submission([], self.students.popleft()) for _ in range(min(most, 1)) if self.students
        ]
        self.ended = not self.students
        return taken


def test_what_arrives_while_others_are_graded_is_tried_elsewhere_too(small):
    tested, _ = graded(small, 8, ())
    broken_hosts(tested, 1)
    students = [f"s{number}" for number in range(40)] + ["s0"]
    states = [one.verdict.state for one in tested.grade((), Arriving(students))]
    assert states == ["graded"] * 41


def test_where_all_hosts_fail_each_submission_is_told_once(small):
    tested, stream = graded(small, 12, numbered(50))
    broken_hosts(tested, 3)
    results = [one.verdict for one in stream]
    assert sorted(one.student for one in results) == sorted(f"s{n}" for n in range(50))
    assert {one.state for one in results} == {"not_graded"}
    tried = [one.verdict.student for _, one in tested.client.asked if isinstance(one, Graded)]
    assert {tried.count(student) for student in tried} == {2}


def test_a_second_try_costs_the_same_with_many_workers(small, monkeypatch):
    monkeypatch.setattr(scheduler, "POLL_SECONDS", 60.0)
    few, many = (lines_of_failures(small, workers) for workers in (8, 200))
    assert few > 0 and many < 1.2 * few
