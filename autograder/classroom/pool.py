"""A pool of workers, and a loop that keeps two submissions in flight for each worker: one in
progress, the other queued.

The tasks of a lost worker are retried one at a time, because any of them may have ended the
worker.
"""

import contextlib
import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, ClassVar, Protocol

from autograder.classroom.local_pool import local_pool
from autograder.classroom.worker import Failed, LostWorkers, NoWorkers, Outcome, Unchanged
from autograder.engine import Graded, RunSettings, SandboxError, grading, limits, plural, texts

QUEUE_LENGTH = 2  # tasks of a worker
POLL_SECONDS = 0.5  # between two turns of the loop

Tell = Callable[[str], object]  # takes a sentence for the user


class Pool(Protocol):
    """An executor with a varying number of `workers`, which is read at every turn of the loop.

    A lost worker fails its future with one of the exceptions in `LOST`. The task is attempted up
    to `ATTEMPTS` times. `workers` and `submit` may raise `NoWorkers` if the pool is empty and no
    worker starts. Workers of this machine ignore Ctrl-C, and end with the run, even if they are
    busy.
    """

    LOST: ClassVar[tuple[type[BaseException], ...]]
    ATTEMPTS: ClassVar[int]

    @property
    def workers(self) -> int: ...

    def submit(self, function: Callable, /, *arguments: Any) -> Future: ...


@dataclass
class WorkItem:
    """A function for a worker to run, its arguments, and the student of the graded submission."""

    student: str
    function: Callable
    arguments: tuple
    attempts: int = 0


def processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextlib.contextmanager
def open_pool(
    settings: RunSettings, jobs: int, scheduler: str | None = None, tell: Tell = print
) -> Iterator[Pool]:
    """Yield the workers of a Dask cluster or, without a scheduler, up to `jobs` workers of this
    machine.

    There are fewer workers if memory is short. `tell` is called with a sentence on that, on the
    kind of sandbox, and on each worker of the cluster that joins, is lost or is refused. Raises
    `AutograderError` if the scheduler does not answer, `NoWorkers` if all workers are refused,
    `SandboxError` without a sandbox.
    """
    if scheduler is not None:
        with texts.from_extra("cluster"):
            from autograder.classroom.dask_cluster import dask_executor  # takes a second to import

        with dask_executor(scheduler, settings, tell) as pool:
            yield pool
        return
    with local_pool(settings.sandbox, _affordable(jobs, tell)) as pool:
        if sandbox_facts := pool.try_worker(settings):
            _tell_level(*sandbox_facts, tell)
        yield pool


def outcomes(
    pool: Pool, items: Iterator[WorkItem | None], turn: Callable[[], object] = lambda: None
) -> Iterator[tuple[WorkItem, Outcome]]:
    """Run these items on the pool. Yield each item with its outcome, in the order of completion.

    `items` is advanced when workers have room. A None in it means that no item is ready yet.
    `turn` is called at least every POLL_SECONDS. Raises `SandboxError` without a sandbox,
    `NoWorkers` if all workers are lost before the first result. After it, every remaining item
    gets `Failed`, and `NoWorkers` is raised once `items` gives None.
    """
    return _Loop(pool, items, turn).run()


class _Loop:
    """The loop of `outcomes`, with its items in flight and items to retry."""

    def __init__(self, pool: Pool, items: Iterator[WorkItem | None], turn: Callable[[], object]):
        self.pool = pool
        self.items = items
        self.turn = turn
        self.in_flight: dict[Future, WorkItem] = {}
        self.again: deque[WorkItem] = deque()  # items to retry, after their worker was lost
        self.done: SimpleQueue[Future] = SimpleQueue()
        self.is_trying_again = False  # the only item in flight is a retry
        self.ended = False
        self.begun = False  # there is a result

    def run(self) -> Iterator[tuple[WorkItem, Outcome]]:
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
        room = self._room()
        while len(self.in_flight) < room and (item := self._next()):
            try:
                future = self.pool.submit(item.function, *item.arguments)
            except NoWorkers:
                self.again.appendleft(item)
                raise
            self.in_flight[future] = item
            self.is_trying_again = item.attempts > 0
            future.add_done_callback(self.done.put)

    def _room(self) -> int:
        """Return the maximum number of items in flight, 1 while an item is retried."""
        room = self.pool.workers * QUEUE_LENGTH
        return min(room, 1) if self.again or self.is_trying_again else room

    def _next(self) -> WorkItem | None:
        """Return the next item to submit, retries first, or None."""
        if self.again:
            return self.again.popleft()
        if self.ended:
            return None
        try:
            return next(self.items)
        except StopIteration:
            self.ended = True
            return None

    def _result(self, item: WorkItem, future: Future) -> Iterator[tuple[WorkItem, Outcome]]:
        """Yield the item with its outcome, or put it back for a retry after a lost worker."""
        error, self.is_trying_again = future.exception(), False
        if isinstance(error, SandboxError | NoWorkers):
            self.again.append(item)
            raise error
        if isinstance(error, self.pool.LOST):
            item.attempts += 1
            if item.attempts < self.pool.ATTEMPTS:
                self.again.append(item)
                return
            if not isinstance(error, LostWorkers):
                error = LostWorkers(item.attempts)
        self.begun = self.begun or error is None
        yield item, outcome_of(item, error or future.result())

    def _without_workers(self, error: NoWorkers) -> Iterator[tuple[WorkItem, Outcome]]:
        """Yield `Failed` for all items. Raise `error` at a None, as more may come later."""
        for item in (*self.in_flight.values(), *self.again):
            yield item, outcome_of(item, error)
        for remaining_item in self.items:
            if remaining_item is None:
                raise error
            yield remaining_item, outcome_of(remaining_item, error)


def outcome_of(item: WorkItem, result: object) -> Outcome:
    """Return the outcome of a work item, from its function's result or exception."""
    if isinstance(result, Unchanged):
        return result
    if isinstance(result, Graded) and result.verdict.student == item.student:
        return result
    if isinstance(result, LostWorkers | NoWorkers):
        return Failed(str(result))
    if isinstance(result, BaseException):
        return Failed(f"a worker failed: {grading.describe_error(result)}")
    return Failed("a worker failed: its result is of another form")


def _tell_level(level: str, reason: str, tell: Tell) -> None:
    """Report the kind of sandbox. `reason`: the reason why a better kind does not work here."""
    if level == limits.NAMESPACES:
        tell("Sandbox: namespaces.")
    elif level == limits.LANDLOCK:
        because = f", because namespaces do not work here ({reason.rstrip('.')})" if reason else ""
        tell(f"Sandbox: Landlock{because}.")


def _affordable(jobs: int, tell: Tell) -> int:
    """Return the number of workers that fit into memory, at most `jobs`, and report a reduction."""
    workers = limits.affordable_workers()
    if workers >= jobs:
        return jobs
    few = plural(workers, "worker")
    memory = limits.machine_memory() / (1 << 30)
    tell(f"{few} instead of {jobs}: this machine has {memory:.1f} GiB of memory.")
    return workers
