"""The workers of a run on this machine: which has what, and what to do when one is lost."""

import contextlib
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import Any

from autograder.classroom.errors import NoWalls, NoWorkers
from autograder.classroom.packed import pack
from autograder.classroom.waiting import QUEUE_LENGTH, Source, Waiting, checked
from autograder.classroom.worker import Task
from autograder.engine.fingerprint import RunSettings
from autograder.engine.graded import Graded, describe_error
from autograder.engine.process import ATTEMPTS, Limits
from autograder.engine.submission import Submission

MAX_MESSAGE = 64 << 10  # bytes
START_SECONDS = 300.0  # to import everything: a cold disk may take long
POLL_SECONDS = 1.0  # between two looks for a worker that does not end
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # else NumPy starts others
START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1])\n"
    "from autograder.classroom.examiners import main; main(int(sys.argv[2]))"
)


class Examiners:
    """The process that forks workers. Raises `NoWalls` and `NoWorkers`."""

    def __init__(self, settings: RunSettings):
        self.control, theirs = socket.socketpair()
        with theirs:
            self.popen = subprocess.Popen(
                [sys.executable, "-c", START, json.dumps(sys.path), str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                env=os.environ | ONE_THREAD,
                stdin=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for the process that runs the class
            )
        self.ready = False
        self._send(pickle.dumps(settings), [])

    def fork(self) -> "Worker":
        """Return a new worker as soon as everything is imported."""
        if not self.ready:
            self._answer(START_SECONDS, "ready")
            self.ready = True
        ours, theirs = Pipe()
        with theirs:
            self._send(json.dumps({"fork": True}).encode(), [theirs.fileno()])
        return Worker(ours, self._answer(START_SECONDS, "forked"))

    def end(self) -> None:
        """End it, and its workers and warm parents with it: the kernel closes what they wait for."""
        self.control.close()
        self.popen.kill()
        self.popen.wait()

    def _send(self, data: bytes, descriptors: list[int]) -> None:
        try:
            socket.send_fds(self.control, [data], descriptors)
        except OSError as error:
            raise self._gone() from error

    def _answer(self, seconds: float, what: str) -> Any:
        self.control.settimeout(seconds)
        try:
            data = self.control.recv(MAX_MESSAGE)
        except OSError as error:
            raise self._gone() from error
        if not data:
            raise self._gone()
        answer = json.loads(data)
        if "failed" in answer:
            raise NoWalls(answer["failed"])
        return answer[what]

    def _gone(self) -> NoWorkers:
        return NoWorkers(
            "The workers cannot be started here: is there memory for all of them? Grade again, "
            "perhaps with fewer --jobs."
        )


@dataclass
class Worker:
    """One worker, and the submissions that it has, in its order."""

    connection: Connection
    number: int  # of its process
    assigned: deque[Submission] = field(default_factory=deque)
    since: float = 0.0  # when it began with the first of them

    def send(self, submission: Submission, packed: bytes) -> None:
        """Give it a submission. Raises `OSError` where it is lost."""
        self.connection.send_bytes(packed)  # small: the pipe takes it while the worker grades
        if not self.assigned:
            self.since = time.monotonic()
        self.assigned.append(submission)

    def receive(self) -> object:
        """Return its result for the first submission. Raises `EOFError`, `OSError` where it is lost."""
        return pickle.loads(self.connection.recv_bytes())

    def finish(self) -> Submission:
        """It is done with the first; return that one."""
        self.since = time.monotonic()
        return self.assigned.popleft()


class LocalPool:
    """Grades submissions with workers of this machine."""

    def __init__(self, settings: RunSettings, jobs: int, task: Task):
        self.settings = settings
        self.jobs = jobs
        self.task = task
        self.examiners = Examiners(settings)
        self.workers: list[Worker] = []
        self.attempts = 1  # at starting examiners

    def __enter__(self) -> "LocalPool":
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self.workers:
            worker.connection.close()
        self.examiners.end()

    def grade(
        self, submissions: Iterable[Submission], source: Source | None = None
    ) -> Iterator[Graded]:
        """Yield the result of each submission, in the order in which they are finished; then of those
        that the source has, until it ends.

        Raises `NoWalls`, and `NoWorkers` when no worker can be started; what was not yielded by then
        is not graded.
        """
        waiting = Waiting(self.settings, submissions, source)
        while waiting.may_have_more or any(worker.assigned for worker in self.workers):
            while len(self.workers) < self.jobs:
                self._add_worker()
            waiting.take(len(self.workers), sum(len(one.assigned) for one in self.workers))
            yield from self._assign(waiting)
            yield from self._collect(waiting)
            self._end_stalled()

    def _add_worker(self) -> None:
        """Fork a worker; where examiners are gone, start others. Raises `NoWalls`, `NoWorkers`."""
        try:
            self.workers.append(self.examiners.fork())
        except NoWorkers:
            if self.attempts == ATTEMPTS:
                raise
            self.attempts += 1
            self.examiners.end()
            self.examiners = Examiners(self.settings)

    def _assign(self, waiting: Waiting) -> Iterator[Graded]:
        """Give each worker a submission, and then each one more to go on with; yield what cannot be
        sent to any.
        """
        for place in range(QUEUE_LENGTH):
            for worker in self.workers:
                fits = len(worker.assigned) <= place
                if not (waiting and fits and waiting.may_go_to(worker.assigned)):
                    continue
                submission = waiting.submissions.popleft()
                try:
                    worker.send(submission, pack(self.task, self.settings, submission))
                except OSError:  # it is lost: the next look at it finds that out
                    waiting.submissions.appendleft(submission)
                except Exception as error:
                    yield checked(self.settings, submission, describe_error(error))

    def _collect(self, waiting: Waiting) -> Iterator[Graded]:
        """Yield the results that there are; take back what lost workers had."""
        by_connection = {worker.connection: worker for worker in self.workers}
        for connection in wait(list(by_connection), POLL_SECONDS):
            worker = by_connection[connection]  # type: ignore[index]
            try:
                result = worker.receive()
            except (EOFError, OSError):
                self.workers.remove(worker)
                worker.connection.close()
                grading = worker.assigned[0] if worker.assigned else None
                yield from waiting.take_back(worker.assigned, grading)
            except Exception as error:  # a result that cannot be read here
                yield checked(self.settings, worker.finish(), describe_error(error))
            else:
                yield checked(self.settings, worker.finish(), result)

    def _end_stalled(self) -> None:
        """Kill workers that took too long for one submission; what they had is taken back."""
        now = time.monotonic()
        for worker in self.workers:
            if worker.assigned and now > worker.since + Limits().patience_seconds:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(worker.number, signal.SIGKILL)
