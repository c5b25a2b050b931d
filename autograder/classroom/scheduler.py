"""The workers of a run, on Dask: which may grade, which has what, and what to do when one is lost.

A worker gets submissions only after it has reported the same graders, the same versions, and walls
that hold. It has two at a time, one that it grades and one to go on with; so, when it is lost, it is
known which of them it was grading.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass, field, replace
from queue import Empty, SimpleQueue

from dask.typing import Key
from distributed import Client, Future

from autograder.classroom.errors import NoWorkers
from autograder.classroom.waiting import QUEUE_LENGTH, Waiting, checked
from autograder.classroom.worker import (
    Task,
    Tell,
    WorkerVersions,
    grade,
    own_versions,
    report_versions,
)
from autograder.engine.fingerprint import RunSettings
from autograder.engine.graded import Graded, describe_error
from autograder.engine.process import ATTEMPTS, Limits
from autograder.engine.submission import Submission

POLL_SECONDS = 1.0  # between two looks at which workers there are
NO_WORKER_SECONDS = 60.0  # with a cluster that has no worker that can grade, before giving up
HANDSHAKE_SECONDS = 300.0  # for a worker to report its versions: a cold disk may take long
STALLED_SECONDS = (  # for one submission: each attempt may have to warm up a parent, too
    2 * ATTEMPTS * Limits.total_seconds
)
FETCH_SECONDS = 5.0  # for a result to come over, before looking whether its worker is still there


@dataclass
class Assigned:
    """A submission that a worker has."""

    submission: Submission
    future: Future
    finished: bool = False  # graded, but the result is not here yet


@dataclass(frozen=True)
class Handshake:
    """A worker that was asked for its versions, and when."""

    address: str
    since: float


@dataclass
class Worker:
    """One worker, and the submissions that it has, in its order."""

    address: str
    assigned: deque[Assigned] = field(default_factory=deque)
    since: float = 0.0  # when it began with the first of them


class Scheduler:
    """Grades submissions on the workers of a cluster."""

    def __init__(
        self, client: Client, settings: RunSettings, task: Task = grade, tell: Tell = print
    ):
        self.client = client
        self.settings = settings
        self.task = task
        self.tell = tell
        self.workers: dict[str, Worker] = {}  # that may grade, by address
        self.handshakes: dict[Key, Handshake] = {}  # by the future's key
        self.refused: dict[str, str] = {}  # why, by address
        self.done: SimpleQueue[Future] = SimpleQueue()
        self.waiting = Waiting(settings)
        self.polled = 0.0  # when we last looked which workers there are
        self.last_worker = time.monotonic()  # when there last was one, or a handshake with one

    def grade(self, submissions: Iterable[Submission]) -> Iterator[Graded]:
        """Yield the result of each submission, in the order in which they are finished.

        Raises `NoWorkers` when no worker is left; what was not yielded by then is not graded.
        """
        self.waiting.submissions.extend(submissions)
        while self.waiting or any(worker.assigned for worker in self.workers.values()):
            yield from self._poll_workers()
            yield from self._assign()
            with suppress(Empty):
                yield from self._handle(self.done.get(timeout=POLL_SECONDS))

    def _poll_workers(self) -> Iterator[Graded]:
        """Find new workers, lost ones and stalled ones; yield what has lost too many workers."""
        now = time.monotonic()
        if now < self.polled + POLL_SECONDS:
            return
        self.polled = now
        there = self._addresses()
        for address in self.workers.keys() - there:
            yield from self._take_back(self.workers.pop(address))
        self._start_handshakes(now, there)
        stalled = [
            worker.address
            for worker in self.workers.values()
            if worker.assigned and now > worker.since + STALLED_SECONDS
        ]
        if stalled:
            self.client.restart_workers(stalled, raise_for_error=False)
        self._raise_if_no_workers(now, there)

    def _start_handshakes(self, now: float, there: set[str]) -> None:
        """Ask new workers for their versions; forget those that are gone or do not answer."""
        for key, handshake in list(self.handshakes.items()):
            if handshake.address not in there:
                del self.handshakes[key]
            elif now > handshake.since + HANDSHAKE_SECONDS:
                del self.handshakes[key]
                why = f"it has not answered for {HANDSHAKE_SECONDS:.0f} seconds; start it again."
                self._refuse(handshake.address, why)
        asked = {handshake.address for handshake in self.handshakes.values()}
        for address in there - {*self.workers, *asked, *self.refused}:
            future = self._submit(address, report_versions, self.settings)
            self.handshakes[future.key] = Handshake(address, now)

    def _addresses(self) -> set[str]:
        """The workers that there are."""
        if self.client.status != "running":
            raise NoWorkers("The scheduler is gone: start it again, and grade again for the rest.")
        try:
            workers = self.client.scheduler_info(n_workers=-1)["workers"]
        except (OSError, TimeoutError, LookupError) as error:
            raise NoWorkers(
                f"The scheduler does not answer ({error}): grade again for the rest."
            ) from error
        return set(workers)

    def _raise_if_no_workers(self, now: float, there: set[str]) -> None:
        """Raise `NoWorkers` where no worker can grade, and none may soon."""
        all_refused = bool(there) and there <= self.refused.keys()
        if self.workers or self.handshakes:
            self.last_worker = now
        elif all_refused or now > self.last_worker + NO_WORKER_SECONDS:
            reasons = " ".join(f"{address}: {why}" for address, why in self.refused.items())
            raise NoWorkers(
                reasons or "The scheduler has no workers: start some with `dask worker`."
            )

    def _take_back(self, worker: Worker) -> Iterator[Graded]:
        """Put a lost worker's submissions back; yield the one that it was grading, if that one has
        lost too many workers.
        """
        for assigned in worker.assigned:
            assigned.future.cancel()
        grading = next((one.submission for one in worker.assigned if not one.finished), None)
        yield from self.waiting.take_back([one.submission for one in worker.assigned], grading)

    def _assign(self) -> Iterator[Graded]:
        """Give each worker a submission, and then each one more to go on with; yield what cannot be
        sent to any.
        """
        for place in range(QUEUE_LENGTH):
            for worker in self.workers.values():
                has = [one.submission for one in worker.assigned]
                if self.waiting and len(has) <= place and self.waiting.may_go_to(has):
                    submission = self.waiting.submissions.popleft()
                    if not worker.assigned:
                        worker.since = time.monotonic()
                    settings = replace(self.settings, workers=self._neighbours(worker.address))
                    try:
                        future = self._submit(worker.address, self.task, settings, submission)
                    except OSError:  # the scheduler is gone
                        self.waiting.submissions.appendleft(submission)
                        raise
                    except Exception as error:
                        yield self._fault(submission, error)
                    else:
                        worker.assigned.append(Assigned(submission, future))

    def _neighbours(self, address: str) -> int:
        """How many workers there are on this one's machine, itself and those that may join included."""
        asked = {handshake.address for handshake in self.handshakes.values()}
        hosts = [_host(other) for other in {*self.workers, *asked}]
        return max(1, hosts.count(_host(address)))

    def _submit(self, address: str, task: Callable, *arguments: object) -> Future:
        """Start a task on a worker; its future comes to `self.done` when it is done or cancelled."""
        future = self.client.submit(
            task, *arguments, workers=[address], allow_other_workers=False, pure=False
        )
        future.add_done_callback(self.done.put)
        return future

    def _handle(self, future: Future) -> Iterator[Graded]:
        """Take over what one future has: a worker's versions, or a result, or why it failed."""
        if future.key in self.handshakes:
            self._end_handshake(self.handshakes.pop(future.key).address, future)
            return
        for worker in self.workers.values():
            for assigned in worker.assigned:
                if assigned.future.key == future.key:
                    yield from self._fetch(worker, assigned)
                    return

    def _fetch(self, worker: Worker, assigned: Assigned) -> Iterator[Graded]:
        """Yield a worker's result; if the worker is gone by now, the next poll finds out."""
        assigned.finished = True
        try:
            if assigned.future.status == "error":
                graded = self._fault(assigned.submission, assigned.future.exception())
            else:
                result = assigned.future.result(timeout=FETCH_SECONDS)
                graded = checked(self.settings, assigned.submission, result)
        except (TimeoutError, CancelledError):
            self.done.put(assigned.future)
            return
        except Exception as error:  # a result that cannot be read here
            graded = self._fault(assigned.submission, error)
        worker.assigned.remove(assigned)
        worker.since = time.monotonic()
        yield graded

    def _fault(self, submission: Submission, error: BaseException | None) -> Graded:
        why = describe_error(error) if error else "it does not say why"
        return checked(self.settings, submission, why)

    def _end_handshake(self, address: str, future: Future) -> None:
        """Accept a worker, or refuse it and say why."""
        if future.status == "finished":
            why = self._difference(future.result())
        elif future.status == "error":
            why = f"{future.exception()}"
        else:  # lost with its worker
            return
        if why:
            self._refuse(address, why)
        else:
            self.workers[address] = Worker(address)

    def _refuse(self, address: str, why: str) -> None:
        self.refused[address] = why
        self.tell(f"The worker {address} gets nothing to do: {why}")

    def _difference(self, found: WorkerVersions) -> str:
        """Say what a worker has in another version than this process; "" if nothing."""
        wanted = own_versions(self.settings)
        if found == wanted:
            return ""
        if found.grader != wanted.grader:
            return (
                f"its graders are another version ({found.grader} instead of {wanted.grader}); "
                "bring its checkout up to date and start it again."
            )
        return (
            "its Python or its packages are other versions than here; install what pyproject.toml "
            "names and start it again."
        )


def _host(address: str) -> str:
    """`tls://127.0.0.1:4321` -> `tls://127.0.0.1`"""
    return address.rpartition(":")[0]
