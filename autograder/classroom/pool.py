"""A pool of workers, and the loop that keeps it busy: two submissions for each worker, one that it
grades and one to go on with.

What a lost worker had is tried again, alone: of what was in its queue, nobody knows what ended it.
"""

import contextlib
import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, ClassVar, Protocol

from autograder.classroom.worker import LostWorkers, NoWorkers
from autograder.engine.limits.memory import affordable_workers, machine_memory
from autograder.engine.limits.process import SandboxError
from autograder.engine.verdict.fingerprint import RunSettings
from autograder.text.wording import plural

QUEUE_LENGTH = 2  # tasks of a worker
POLL_SECONDS = 0.5  # between two looks at what there is to do

Tell = Callable[[str], object]  # takes a sentence for whoever looks on


class Pool(Protocol):
    """An executor. `workers` says how many there are now, and is asked at every turn; a future fails
    with one of `LOST` where its worker is lost, and is tried so many `ATTEMPTS`.

    Both raise `NoWorkers` where there are none, and none may soon: workers that never come up are not
    tried for ever. Workers live through Ctrl-C, which is the run's, and end with the run, whatever ends
    it. Whoever leaves the pool ends those that are busy.
    """

    LOST: ClassVar[tuple[type[BaseException], ...]]
    ATTEMPTS: ClassVar[int]

    @property
    def workers(self) -> int: ...

    def submit(self, function: Callable, /, *arguments: Any) -> Future: ...


@dataclass
class Call:
    """A call that a worker is to make, and whom it is about."""

    student: str
    function: Callable
    arguments: tuple
    attempts: int = 0


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextlib.contextmanager
def open_pool(
    settings: RunSettings, jobs: int, scheduler: str | None = None, tell: Tell = print
) -> Iterator[Pool]:
    """The workers of this scheduler, or `jobs` of this machine: fewer, where there is not the memory.

    `tell` is called with a sentence on workers that there are not, and on each that is refused.
    Raises `NoScheduler`, `NoWorkers`, `SandboxError`.
    """
    if scheduler is not None:
        from autograder.classroom.dask_cluster import dask_executor  # it takes a second to import

        with dask_executor(scheduler, settings, tell) as pool:
            yield pool
        return
    from autograder.classroom.local_pool import local_pool

    with local_pool(settings.sandbox, _affordable(jobs, tell)) as pool:
        yield pool


def outcomes(
    pool: Pool, calls: Iterator[Call | None], turn: Callable[[], object] = lambda: None
) -> Iterator[tuple[Call, Any]]:
    """Yield each call with what it returned, or with the exception that it raised, as they are done.

    `calls` are taken one by one, as workers get room for them; None says that there is none now.
    `turn` is called at least every `POLL_SECONDS`. Raises `SandboxError`, and `NoWorkers` where there are
    none from the beginning; later each call that is left has that exception, before it is raised where
    more calls may come.
    """
    return _Loop(pool, calls, turn).run()


class _Loop:
    def __init__(self, pool: Pool, calls: Iterator[Call | None], turn: Callable[[], object]):
        self.pool = pool
        self.calls = calls
        self.turn = turn
        self.in_flight: dict[Future, Call] = {}
        self.again: deque[Call] = deque()  # whose workers were lost
        self.done: SimpleQueue[Future] = SimpleQueue()
        self.is_trying_again = False  # what is in flight, and nothing beside it
        self.ended = False
        self.begun = False  # there is a result

    def run(self) -> Iterator[tuple[Call, Any]]:
        try:
            while self._may_go_on():
                self.turn()
                self._fill()
                with contextlib.suppress(Empty):
                    future = self.done.get(timeout=POLL_SECONDS if self._may_go_on() else 0)
                    yield from self._result(self.in_flight.pop(future), future)
        except NoWorkers as error:
            if not self.begun:
                raise
            yield from self._without_workers(error)

    def _may_go_on(self) -> bool:
        return bool(self.in_flight or self.again) or not self.ended

    def _fill(self) -> None:
        """Give workers what they have room for."""
        room = self._room()
        while len(self.in_flight) < room and (call := self._next()):
            try:
                future = self.pool.submit(call.function, *call.arguments)
            except NoWorkers:
                self.again.appendleft(call)
                raise
            self.in_flight[future] = call
            self.is_trying_again = call.attempts > 0
            future.add_done_callback(self.done.put)

    def _room(self) -> int:
        """How many calls may be in flight: one at most, as long as one is tried again."""
        room = self.pool.workers * QUEUE_LENGTH
        return min(room, 1) if self.again or self.is_trying_again else room

    def _next(self) -> Call | None:
        if self.again:
            return self.again.popleft()
        if self.ended:
            return None
        try:
            return next(self.calls)
        except StopIteration:
            self.ended = True
            return None

    def _result(self, call: Call, future: Future) -> Iterator[tuple[Call, Any]]:
        """What a future that is done has for us; nothing where it is tried again.

        Raises `SandboxError`, `NoWorkers`.
        """
        error, self.is_trying_again = future.exception(), False
        if isinstance(error, SandboxError | NoWorkers):
            self.again.append(call)
            raise error
        if isinstance(error, self.pool.LOST):
            call.attempts += 1
            if call.attempts < self.pool.ATTEMPTS:
                self.again.append(call)
                return
            if not isinstance(error, LostWorkers):
                error = LostWorkers(call.attempts)
        self.begun = self.begun or error is None
        yield call, error or future.result()

    def _without_workers(self, error: NoWorkers) -> Iterator[tuple[Call, NoWorkers]]:
        """What is left; raises the error where there is nothing now, and may be later."""
        for call in (*self.in_flight.values(), *self.again):
            yield call, error
        for left in self.calls:
            if left is None:
                raise error
            yield left, error


def _affordable(jobs: int, tell: Tell) -> int:
    """As many jobs as there is memory for on this machine; says so where that is fewer."""
    workers = affordable_workers()
    if workers >= jobs:
        return jobs
    few = plural(workers, "worker")
    memory = machine_memory() / (1 << 30)
    tell(f"{few} instead of {jobs}: this machine has {memory:.1f} GiB of memory.")
    return workers
