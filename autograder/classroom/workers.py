"""The workers of a run that may grade, and what each of them has.

Nothing here takes longer with more workers.
"""

from collections import Counter, deque
from dataclasses import dataclass, field

from dask.typing import Key
from distributed import Future

from autograder.classroom.second_tries import FirstTry
from autograder.classroom.waiting import QUEUE_LENGTH
from autograder.classroom.worker_news import host_of
from autograder.engine.submission import Submission


@dataclass(eq=False)
class Assigned:
    """A submission that a worker has."""

    submission: Submission
    future: Future
    first: FirstTry | None = None  # on another host, where it could not be graded
    finished: bool = False  # graded, but the result is not here yet
    alone: bool = False  # to be fetched alone, since it held up others


@dataclass(eq=False)
class Worker:
    """One worker, and the submissions that it has, in its order."""

    address: str
    assigned: deque[Assigned] = field(default_factory=deque)
    since: float = 0.0  # when it began with the first of them

    @property
    def has(self) -> list[Submission]:
        return [one.submission for one in self.assigned]


class Workers:
    """Those that may grade, by address, and what they have, by the future's key."""

    def __init__(self) -> None:
        self.by_address: dict[str, Worker] = {}
        self.with_room: dict[str, Worker] = {}  # that may have another submission, by address
        self.assigned: dict[Key, tuple[Worker, Assigned]] = {}
        self.hosts: Counter[str] = Counter()  # how many each has, and that is never 0

    def __len__(self) -> int:
        return len(self.by_address)

    def add(self, address: str) -> None:
        self.by_address[address] = self.with_room[address] = Worker(address)
        self.hosts[host_of(address)] += 1

    def remove(self, address: str) -> Worker:
        """Return a worker that gets no more, with what it had: that is cancelled."""
        worker = self.by_address.pop(address)
        self.with_room.pop(address, None)
        for assigned in worker.assigned:
            del self.assigned[assigned.future.key]
            assigned.future.cancel()
        self.hosts[host_of(address)] -= 1
        if not self.hosts[host_of(address)]:
            del self.hosts[host_of(address)]
        return worker

    def give(self, worker: Worker, assigned: Assigned, now: float) -> None:
        """A worker has a submission more."""
        if not worker.assigned:
            worker.since = now
        worker.assigned.append(assigned)
        self.assigned[assigned.future.key] = worker, assigned
        if len(worker.assigned) == QUEUE_LENGTH:
            del self.with_room[worker.address]

    def take(self, worker: Worker, assigned: Assigned, now: float) -> None:
        """A worker has a submission less, and begins with the next one."""
        worker.assigned.remove(assigned)
        worker.since = now
        del self.assigned[assigned.future.key]
        self.with_room[worker.address] = worker
