"""The workers of a run, on Dask: who may grade, who has what, and what becomes of those that fail.

A worker gets a submission only after it has introduced itself with the same graders, the same versions
and walls that hold. It has two at a time, one that it grades and one to go on with, so that when it is
lost it is known which of them it was at.
"""

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue

from dask.typing import Key
from distributed import Client, Future

from autograder.classroom.errors import NoWorkers
from autograder.classroom.worker import Introduction, Task, Tell, grade, introduce
from autograder.graded import Graded, ungraded
from autograder.handed import Handed
from autograder.stamp import Terms, lock

LOOK_SECONDS = 1.0  # between two looks at which workers there are
PATIENCE_SECONDS = 60.0  # with a cluster that has no worker who can grade
GREETING_SECONDS = 300.0  # for a worker to say what it grades with: a cold disk may take long
STALLED_SECONDS = (
    900.0  # for one submission, all attempts at the walls included: three times its limit
)
FETCH_SECONDS = 5.0  # for a result to come over, before looking whether its worker is still there
AT_HAND = 2  # submissions that a worker has
ATTEMPTS = 3  # workers that a submission may cost before it is put aside


@dataclass
class Sent:
    """A submission on its way through a worker."""

    handed: Handed
    future: Future
    over: bool = False  # graded, but what came out is not here yet


@dataclass(frozen=True)
class Greeting:
    """A worker that was asked what it grades with, and when."""

    address: str
    since: float


@dataclass
class Worker:
    """One worker as we see it from here."""

    address: str
    at: deque[Sent] = field(default_factory=deque)
    since: float = 0.0  # when it began with the first of them


class Crew:
    """Grades submissions on the workers of a cluster."""

    def __init__(self, client: Client, terms: Terms, task: Task = grade, tell: Tell = print):
        self.client = client
        self.terms = terms
        self.task = task
        self.tell = tell
        self.workers: dict[str, Worker] = {}
        self.greetings: dict[Key, Greeting] = {}  # by the future's key
        self.refused: dict[str, str] = {}
        self.done: SimpleQueue[Future] = SimpleQueue()
        self.waiting: deque[Handed] = deque()
        self.costs: Counter[str] = Counter()  # workers, by student
        self.looked = 0.0
        self.hopeful = time.monotonic()  # when there last was somebody, or hope for one

    def grade(self, submissions: Iterable[Handed]) -> Iterator[Graded]:
        """Yield what comes out, in the order in which it does.

        Raises `NoWorkers` when nobody is left, with what has not been yielded still to be graded.
        """
        self.waiting.extend(submissions)
        while self.waiting or any(worker.at for worker in self.workers.values()):
            yield from self._look_around()
            self._hand_out()
            with suppress(Empty):
                yield from self._taken(self.done.get(timeout=LOOK_SECONDS))

    def _look_around(self) -> Iterator[Graded]:
        """Greet new workers, miss those that are gone; yield what cost too many of them."""
        now = time.monotonic()
        if now < self.looked + LOOK_SECONDS:
            return
        self.looked = now
        there = self._addresses()
        for address in self.workers.keys() - there:
            yield from self._missed(self.workers.pop(address))
        self._greet(now, there)
        stalled = [
            w.address for w in self.workers.values() if w.at and now > w.since + STALLED_SECONDS
        ]
        if stalled:
            self.client.restart_workers(stalled, raise_for_error=False)
        self._despair(now, there)

    def _greet(self, now: float, there: set[str]) -> None:
        """Ask those that are new what they grade with; forget those that are gone or do not say."""
        for key, greeting in list(self.greetings.items()):
            if greeting.address not in there:
                del self.greetings[key]
            elif now > greeting.since + GREETING_SECONDS:
                del self.greetings[key]
                why = f"it has not answered for {GREETING_SECONDS:.0f} seconds; start it again."
                self._refuse(greeting.address, why)
        greeted = {greeting.address for greeting in self.greetings.values()}
        for address in there - {*self.workers, *greeted, *self.refused}:
            future = self._submit(address, introduce, self.terms)
            self.greetings[future.key] = Greeting(address, now)

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

    def _despair(self, now: float, there: set[str]) -> None:
        """Raise `NoWorkers` where nobody can grade, and nobody is on the way."""
        all_refused = bool(there) and there <= self.refused.keys()
        if self.workers or self.greetings:
            self.hopeful = now
        elif all_refused or now > self.hopeful + PATIENCE_SECONDS:
            reasons = " ".join(f"{address}: {why}" for address, why in self.refused.items())
            raise NoWorkers(
                reasons or "The scheduler has no workers: start some with `dask worker`."
            )

    def _missed(self, worker: Worker) -> Iterator[Graded]:
        """Give back what a lost worker had; what it was at has cost it."""
        at_work = next((sent for sent in worker.at if not sent.over), None)
        for sent in reversed(worker.at):
            sent.future.cancel()
            student = sent.handed.student
            self.costs[student] += sent is at_work
            if self.costs[student] < ATTEMPTS:
                self.waiting.appendleft(sent.handed)
            else:
                yield ungraded(
                    self.terms,
                    sent.handed,
                    f"{ATTEMPTS} workers were lost while they graded it, and it was put aside. "
                    "Look at it before you grade again.",
                )

    def _hand_out(self) -> None:
        """Give every worker something to do, and something to go on with."""
        for place in range(AT_HAND):
            for worker in self.workers.values():
                if self.waiting and len(worker.at) <= place and self._may_follow(worker):
                    handed = self.waiting.popleft()
                    if not worker.at:
                        worker.since = time.monotonic()
                    future = self._submit(worker.address, self.task, self.terms, handed)
                    worker.at.append(Sent(handed, future))

    def _may_follow(self, worker: Worker) -> bool:
        """Whether a worker can take the next one: what may have cost a worker has one for itself."""
        together = [*(sent.handed for sent in worker.at), self.waiting[0]]
        return len(together) == 1 or not any(self.costs[handed.student] for handed in together)

    def _submit(self, address: str, task: Callable, *arguments: object) -> Future:
        """Have a worker do something; that it is done, or never will be, comes to `self.done`."""
        future = self.client.submit(
            task, *arguments, workers=[address], allow_other_workers=False, pure=False
        )
        future.add_done_callback(self.done.put)
        return future

    def _taken(self, future: Future) -> Iterator[Graded]:
        """Take what one future brought: a worker, a verdict, or a failure."""
        if future.key in self.greetings:
            self._introduced(self.greetings.pop(future.key).address, future)
            return
        for worker in self.workers.values():
            for sent in worker.at:
                if sent.future.key == future.key:
                    yield from self._brought(worker, sent)
                    return

    def _brought(self, worker: Worker, sent: Sent) -> Iterator[Graded]:
        """Fetch what a worker has; if the worker is gone by now, looking around will tell."""
        sent.over = True
        try:
            if sent.future.status == "error":
                reason = f"a worker failed: {sent.future.exception()}"
                graded = ungraded(self.terms, sent.handed, reason)
            else:
                graded = sent.future.result(timeout=FETCH_SECONDS)
        except (TimeoutError, CancelledError):
            self.done.put(sent.future)
            return
        worker.at.remove(sent)
        worker.since = time.monotonic()
        yield graded

    def _introduced(self, address: str, future: Future) -> None:
        """Take a worker on, or say why not."""
        if future.status == "finished":
            why = self._objection(future.result())
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

    def _objection(self, found: Introduction) -> str | None:
        wanted = Introduction(self.terms.assignment.grader_hash, lock(), self.terms.sandbox)
        if found == wanted:
            return None
        if found.grader != wanted.grader:
            return (
                f"its graders are another version ({found.grader} instead of {wanted.grader}); "
                "bring its checkout up to date and start it again."
            )
        return (
            "its Python or its packages are other versions than here; install what pyproject.toml "
            "names and start it again."
        )
