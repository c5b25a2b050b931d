"""A run on Dask's workers: which submission goes where, and what to do when a worker is lost.

A worker gets submissions only after it has reported the same graders, the same versions, and walls
that hold. It has two at a time, one that it grades and one to go on with; so, when it is lost, it is
known which of them it was grading. What one host could not grade is tried on another one.

A result costs the same with ten workers and with a thousand: only the poll looks at all of them.
"""

import pickle
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue

from dask.typing import Key
from distributed import Client, Future

from autograder.classroom.admission import FETCH_SECONDS, Admission
from autograder.classroom.errors import NoWorkers
from autograder.classroom.packed import pack
from autograder.classroom.second_tries import FirstTry, SecondTries, are_elsewhere
from autograder.classroom.waiting import QUEUE_LENGTH, Source, Waiting, checked
from autograder.classroom.worker import Task, Tell, grade, report_versions
from autograder.classroom.worker_news import WorkerNews, host_of
from autograder.classroom.workers import Assigned, Worker, Workers
from autograder.engine.fingerprint import RunSettings
from autograder.engine.graded import Graded, describe_error
from autograder.engine.process import Limits
from autograder.engine.submission import Submission

POLL_SECONDS = 1.0  # between two looks at which workers there are
NO_WORKER_SECONDS = 60.0  # with a cluster that has no worker that can grade, before giving up
FETCH_AT_ONCE = 64  # results: each journey to the workers and back takes its time
GONE = "The scheduler is gone: start it and its workers again, and grade again for the rest."


class Scheduler:
    """Grades submissions on the workers of a cluster."""

    def __init__(
        self, client: Client, settings: RunSettings, task: Task = grade, tell: Tell = print
    ):
        self.client = client
        self.settings = settings
        self.task = task
        self.workers = Workers()
        self.admission = Admission(settings, self._ask, tell)
        self.done: SimpleQueue[Future] = SimpleQueue()
        self.waiting = Waiting(settings)
        self.second_tries = SecondTries()
        self.news = WorkerNews(tell)
        self.polled = 0.0  # when we last looked which workers there are
        self.last_worker = time.monotonic()  # when there last was one, or a handshake with one

    def grade(
        self, submissions: Iterable[Submission], source: Source | None = None
    ) -> Iterator[Graded]:
        """Yield the result of each submission, in the order in which they are finished; then of those
        that the source has, until it ends.

        Submissions are taken one by one, when there is a worker for them. Raises `NoWorkers` when no
        worker is left; what was not yielded by then is not graded.
        """
        self.waiting = Waiting(self.settings, submissions, source)
        while self.waiting.may_have_more or self.workers.assigned or self.second_tries:
            yield from self._poll_workers()
            taken = len(self.workers.assigned) + len(self.second_tries)
            self.waiting.take(len(self.workers), taken)
            yield from self._assign()
            yield from self._handle(self._next_done())

    def _poll_workers(self) -> Iterator[Graded]:
        """Find new workers, lost ones and stalled ones; yield what has lost too many workers, and what
        there is no other host to try again.
        """
        now = time.monotonic()
        if now < self.polled + POLL_SECONDS:
            return
        self.polled = now
        there = self._addresses()
        for address in self.workers.by_address.keys() - there:
            self.news.lost.append(address)
            yield from self._take_back(self.workers.remove(address))
        for first in self.second_tries.take_those_left(self.workers.hosts):
            yield first.graded
        self.admission.look(now, there, self.workers.by_address)
        if self.news.lost:
            self.news.say(len(self.workers))
        stalled = [
            worker.address
            for worker in self.workers.by_address.values()
            if worker.assigned and now > worker.since + Limits().patience_seconds
        ]
        if stalled:
            self.client.restart_workers(stalled, raise_for_error=False)
        self._raise_if_no_workers(now, there)

    def _addresses(self) -> set[str]:
        """The workers that there are."""
        if self.client.status != "running":
            raise NoWorkers(GONE)
        try:
            workers = self.client.nthreads()  # no more of each than it has to be
        except (OSError, TimeoutError, LookupError) as error:
            raise NoWorkers(
                f"The scheduler does not answer ({error}): grade again for the rest."
            ) from error
        return set(workers)

    def _raise_if_no_workers(self, now: float, there: set[str]) -> None:
        """Raise `NoWorkers` where no worker can grade, and none may soon."""
        refused = self.admission.refused
        all_refused = bool(there) and there <= refused.keys()
        if self.workers or self.admission.handshakes:
            self.last_worker = now
        elif all_refused or now > self.last_worker + NO_WORKER_SECONDS:
            reasons = " ".join(f"{address}: {why}" for address, why in refused.items())
            raise NoWorkers(
                reasons or "The scheduler has no workers: start some with `dask worker`."
            )

    def _take_back(self, worker: Worker) -> Iterator[Graded]:
        """Put a lost worker's submissions back; yield the one that it was grading, if that one has
        lost too many workers.
        """
        grading = next((one.submission for one in worker.assigned if not one.finished), None)
        yield from self.waiting.take_back(worker.has, grading)

    def _assign(self) -> Iterator[Graded]:
        """Give each worker a submission, and then each one more to go on with; yield what cannot be
        sent to any.
        """
        for place in range(QUEUE_LENGTH):
            if not (self.second_tries or self.waiting):
                return
            for worker in list(self.workers.with_room.values()):
                if len(worker.assigned) > place:
                    continue
                yield from self._give_next(worker)
                if not (self.second_tries or self.waiting):
                    return

    def _give_next(self, worker: Worker) -> Iterator[Graded]:
        """Send a worker the next submission that it may have, if there is one; what another host could
        not grade comes first.
        """
        first = self.second_tries.next_for(worker.address)
        if first and self.waiting.may_go_to(worker.has, first.submission):
            self.second_tries.take(first)
            yield from self._give(worker, first.submission, first)
        elif self.waiting and self.waiting.may_go_to(worker.has):
            yield from self._give(worker, self.waiting.submissions.popleft())

    def _give(
        self, worker: Worker, submission: Submission, first: FirstTry | None = None
    ) -> Iterator[Graded]:
        """Send a submission to a worker; yield it where it cannot be sent. Raises `NoWorkers`."""
        try:
            future = self._submit(worker.address, pack(self.task, self.settings, submission))
        except NoWorkers:
            raise
        except Exception as error:
            yield self._fault(submission, error)
            return
        self.workers.give(worker, Assigned(submission, future, first), time.monotonic())

    def _ask(self, address: str) -> Future:
        """Have a worker report its versions. Raises `NoWorkers`."""
        return self._submit(address, pack(report_versions, self.settings))

    def _submit(self, address: str, packed: bytes) -> Future:
        """Start what was packed on a worker; its future comes to `self.done` when it is done or
        cancelled. Raises `NoWorkers`.
        """
        try:
            future = self.client.submit(
                pickle.loads, packed, workers=[address], allow_other_workers=False, pure=False
            )
        except OSError as error:
            raise NoWorkers(GONE) from error
        future.add_done_callback(self.done.put)
        return future

    def _next_done(self) -> list[Future]:
        """Wait for a future that is done, for a while; return it, and others that are done by now."""
        done: list[Future] = []
        with suppress(Empty):
            done.append(self.done.get(timeout=POLL_SECONDS))
            while len(done) < FETCH_AT_ONCE:
                done.append(self.done.get_nowait())
        return done

    def _handle(self, done: list[Future]) -> Iterator[Graded]:
        """Take over what futures have: a worker's versions, or a result, or why it failed."""
        results: list[Assigned] = []
        for future in done:
            if future.key in self.admission.handshakes:
                self._end_handshake(future)
            elif future.key in self.workers.assigned:
                results.append(self.workers.assigned[future.key][1])
        fetched = self._fetch_together(results)
        for assigned in results:
            if assigned.future.key in self.workers.assigned:  # its worker was not refused meanwhile
                yield from self._fetch(assigned, fetched)

    def _fetch_together(self, several: list[Assigned]) -> dict[Key, object]:
        """Return the results that come over together, by the future's key."""
        futures = {}
        for assigned in several:
            assigned.finished = True
            if assigned.future.status == "finished" and not assigned.alone:
                futures[assigned.future.key] = assigned.future
        if len(futures) < 2:
            return {}
        gather = partial(self.client.gather, futures, errors="skip", asynchronous=True)
        try:
            fetched = self.client.sync(gather, callback_timeout=FETCH_SECONDS)
        except Exception:  # a lost worker, or a result that cannot be read: one by one, it is found
            for assigned in several:
                assigned.alone = True
            return {}
        return {key: result for key, result in fetched.items() if result is not None}

    def _fetch(self, assigned: Assigned, fetched: Mapping[Key, object]) -> Iterator[Graded]:
        """Yield a worker's result; if the worker is gone by now, the next poll finds out.

        `fetched` are the results that have come over already.
        """
        future = assigned.future
        worker, _ = self.workers.assigned[future.key]
        try:
            if future.key in fetched:
                graded = checked(self.settings, assigned.submission, fetched[future.key])
            elif future.status == "error":
                graded = self._fault(assigned.submission, future.exception())
            else:
                result = future.result(timeout=FETCH_SECONDS)
                graded = checked(self.settings, assigned.submission, result)
        except TimeoutError:
            self.done.put(future)
            return
        except CancelledError:  # a scheduler that was started again has forgotten it
            self.workers.take(worker, assigned, time.monotonic())
            self.waiting.submissions.appendleft(assigned.submission)
            return
        except Exception as error:  # a result that cannot be read here
            graded = self._fault(assigned.submission, error)
        self.workers.take(worker, assigned, time.monotonic())
        yield from self._believe(worker, assigned, graded)

    def _believe(self, worker: Worker, assigned: Assigned, graded: Graded) -> Iterator[Graded]:
        """Yield a result, unless it is that a host could not grade what another one may."""
        first, failed = assigned.first, graded.verdict.state == "not_graded"
        host = host_of(worker.address)
        if failed and first is None and are_elsewhere(host, self.workers.hosts):
            self.second_tries.add(FirstTry(assigned.submission, worker.address, graded))
            return
        if first and not failed and self.second_tries.is_at_fault(first):
            self._refuse_at_work(first)
        yield graded

    def _refuse_at_work(self, first: FirstTry) -> None:
        """Give no more to a worker that fails where others do not, and put back what it has."""
        if first.address in self.workers.by_address:
            had = self.workers.remove(first.address).has
            self.waiting.submissions.extendleft(reversed(had))
            why = f"it failed with submissions that another host could grade ({first.graded.verdict.reason})"
            self.admission.refuse(first.address, f"{why}; mend that and start it again.")

    def _fault(self, submission: Submission, error: BaseException | None) -> Graded:
        why = describe_error(error) if error else "it does not say why"
        return checked(self.settings, submission, why)

    def _end_handshake(self, future: Future) -> None:
        """Accept a worker, or refuse it."""
        try:
            address = self.admission.hear(future)
        except TimeoutError:  # if the worker is gone by now, the next poll finds out
            self.done.put(future)
            return
        if address:
            self.workers.add(address)
            self.news.joined.append(address)
        if not self.admission.handshakes:  # those that come together are told together
            self.news.say(len(self.workers))
