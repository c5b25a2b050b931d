"""A pool of workers, and a loop that keeps two submissions in flight for each worker: one in
progress, one queued.

The tasks of a lost worker are retried one at a time, as it is unknown which of them ended the
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
POLL_SECONDS = 0.5  # between two looks at what there is to do

Tell = Callable[[str], object]  # takes a sentence for whoever looks on


class Pool(Protocol):
    """An executor whose number of workers may change; `workers` is read at every turn of the loop.

    The future of a task whose worker was lost fails with one of the exceptions in `LOST`; such a
    task is attempted up to `ATTEMPTS` times. `workers` and `submit` may raise `NoWorkers` if there
    are no workers and none is starting. Workers of this machine ignore Ctrl-C, and end with the
    run, even if they are busy.
    """

    LOST: ClassVar[tuple[type[BaseException], ...]]
    ATTEMPTS: ClassVar[int]

    @property
    def workers(self) -> int: ...

    def submit(self, function: Callable, /, *arguments: Any) -> Future: ...


@dataclass
class WorkItem:
    """A function for a worker to run, its arguments, and the student whose submission it grades."""

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
    """Yield a pool: the workers of the Dask cluster whose scheduler has this address, or if that is
    None, `jobs` workers of this machine.

    On this machine there are fewer if its memory does not suffice for `jobs`. `tell` is called with
    a sentence if there are fewer, on the kind of walls, and on each worker of the cluster that
    joins, is lost or is refused. Raises `AutograderError` if no scheduler answers, `NoWorkers` if no worker may grade,
    `SandboxError` if there is no sandbox.
    """
    if scheduler is not None:
        with texts.from_extra("cluster"):
            from autograder.classroom.dask_cluster import dask_executor  # takes a second to import

        with dask_executor(scheduler, settings, tell) as pool:
            yield pool
        return
    with local_pool(settings.sandbox, _affordable(jobs, tell)) as pool:
        if tried := pool.try_worker(settings):
            _tell_level(*tried, tell)
        yield pool


def outcomes(
    pool: Pool, items: Iterator[WorkItem | None], turn: Callable[[], object] = lambda: None
) -> Iterator[tuple[WorkItem, Outcome]]:
    """Run these items on the pool. Yield each item with its outcome, in the order of completion.

    `items` is advanced when workers have room; a None in it means that nothing is to be done at the
    moment. `turn` is called at least every POLL_SECONDS. Raises `SandboxError` if a worker has no
    sandbox. If no workers are left, raises `NoWorkers` if nothing was completed before; otherwise
    each item in flight and each remaining one has `Failed`, and it is raised once `items` gives
    None.
    """
    return _Loop(pool, items, turn).run()


class _Loop:
    """The loop of `outcomes`, with the items that are in flight and those to retry."""

    def __init__(self, pool: Pool, items: Iterator[WorkItem | None], turn: Callable[[], object]):
        self.pool = pool
        self.items = items
        self.turn = turn
        self.in_flight: dict[Future, WorkItem] = {}
        self.again: deque[WorkItem] = deque()  # whose workers were lost
        self.done: SimpleQueue[Future] = SimpleQueue()
        self.is_trying_again = False  # what is in flight, and nothing beside it
        self.ended = False
        self.begun = False  # there is a result

    def run(self) -> Iterator[tuple[WorkItem, Outcome]]:
        """Yield items with their outcomes; see `outcomes`."""
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
        """Whether items are in flight, to be retried, or may still come."""
        return bool(self.in_flight or self.again) or not self.ended

    def _fill(self) -> None:
        """Submit items to the pool as long as it has room."""
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
        """Return how many items may be in flight now: only one while an item is retried."""
        room = self.pool.workers * QUEUE_LENGTH
        return min(room, 1) if self.again or self.is_trying_again else room

    def _next(self) -> WorkItem | None:
        """Return the next item to submit, items to retry first; None if nothing can be submitted at
        the moment.
        """
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
        """Yield the item with its outcome, or put it back to be retried and yield nothing if its
        worker was lost.

        Raises `SandboxError` or `NoWorkers` if the future failed with it.
        """
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
        """Yield `Failed` for each item in flight and each remaining one; raise `error` once `items`
        gives None, as more may come later.
        """
        for item in (*self.in_flight.values(), *self.again):
            yield item, outcome_of(item, error)
        for left in self.items:
            if left is None:
                raise error
            yield left, outcome_of(left, error)


def outcome_of(item: WorkItem, result: object) -> Outcome:
    """Return what came of a work item. `result`: what its function returned, or the exception that
    it raised.
    """
    if isinstance(result, Unchanged):
        return result
    if isinstance(result, Graded) and result.verdict.student == item.student:
        return result
    if isinstance(result, LostWorkers | NoWorkers):
        return Failed(str(result))
    if isinstance(result, BaseException):
        return Failed(f"a worker failed: {grading.describe_error(result)}")
    return Failed("a worker failed: its result is of another form")


def _tell_level(level: str, why: str, tell: Tell) -> None:
    """Call `tell` with a sentence on the kind of walls. `why`: why no better kind works here."""
    if level == limits.NAMESPACES:
        tell("Sandbox: namespaces.")
    elif level == limits.LANDLOCK:
        because = f", because namespaces do not work here ({why.rstrip('.')})" if why else ""
        tell(f"Sandbox: Landlock{because}.")


def _affordable(jobs: int, tell: Tell) -> int:
    """Return how many workers this machine has memory for, but at most `jobs`. If they are fewer,
    call `tell` with a sentence.
    """
    workers = limits.affordable_workers()
    if workers >= jobs:
        return jobs
    few = plural(workers, "worker")
    memory = limits.machine_memory() / (1 << 30)
    tell(f"{few} instead of {jobs}: this machine has {memory:.1f} GiB of memory.")
    return workers
