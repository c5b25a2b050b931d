"""A Dask cluster as an executor. Dask schedules the tasks, and retries tasks of lost workers.

This module decides which workers may grade, and when waiting for workers is useless. A worker that
may grade offers a Dask resource named after this run, and every task requires that resource. So no
other worker gets a task.
"""

import contextlib
import logging
import pickle
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future
from functools import partial
from threading import Event
from typing import ClassVar, TypeGuard
from uuid import uuid4

import cloudpickle
import dask
from distributed import Client, KilledWorker

from autograder.classroom import dask_worker
from autograder.classroom.dask_worker import WorkerCheck, pack, run_task
from autograder.classroom.reach import check_settings, why_no_answer
from autograder.classroom.worker import LostWorkers, NoWorkers, own_stamp
from autograder.engine import AutograderError, Graded, RunSettings, name_some, plural

CONNECT_SECONDS = 10
POLL_SECONDS = 1.0  # between two queries for workers
FIRST_LOOK_SECONDS = 0.05  # the same while no worker can grade
NO_WORKER_SECONDS = 60.0  # with a cluster that has no worker, before giving up
START_SECONDS = 300.0  # until silent workers are given up, as a disk may be cold
MAX_FAULTS = 2  # of a worker, with submissions that another host can grade
NOISY = "asyncio", "distributed"  # log unfinished work of a lost worker or scheduler
CONFIG = {
    # the client stores its last messages, and each contains a submission
    "distributed.admin.low-level-log-length": 20,
    "distributed.admin.large-graph-warning-threshold": "1GiB",
}
GONE = "The scheduler is gone: start it and its workers again, and grade again for the rest."


@contextlib.contextmanager
def dask_executor(
    address: str, settings: RunSettings, tell: Callable[[str], object]
) -> Iterator["DaskExecutor"]:
    """Connect to the Dask scheduler at this address, and yield an executor on its workers that may
    grade.

    Each worker's graders and versions must equal those of this process. `tell` is called with a
    sentence for each worker that joins, is lost or is refused. Raises `AutograderError` if no
    scheduler answers, `NoWorkers`, with the reasons, if no worker may grade.
    """
    with _silence(), dask.config.set(CONFIG), _connect(address) as client:
        executor = DaskExecutor(client, tell)
        with executor.checking_workers(settings):
            while not executor.workers:
                time.sleep(FIRST_LOOK_SECONDS)
            yield executor


def _connect(address: str) -> Client:
    """Return a client of this scheduler. Raises `AutograderError` with the likely reason."""
    check_settings(address)
    try:
        return Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise AutograderError(why_no_answer(address)) from error


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Suppress log messages of Dask and asyncio within the block."""
    loggers = [
        logging.getLogger(name)
        for name in (*NOISY, *logging.root.manager.loggerDict)
        if name.partition(".")[0] in NOISY
    ]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


class DaskExecutor(Executor):
    """An executor on the workers of a Dask cluster that may grade.

    Dask retries the tasks of a lost worker, and counts the loss against every task in that
    worker's queue.
    """

    LOST: ClassVar[tuple[type[BaseException], ...]] = (LostWorkers,)
    ATTEMPTS: ClassVar[int] = 2

    def __init__(self, client: Client, tell: Callable[[str], object]):
        """`tell`: called with a sentence for each worker that joins, is lost or is refused."""
        self.client = client
        self.tell = tell
        self.name = f"autograder-{uuid4().hex}"  # of the run's plugin, topic and resource
        self.on_workers = client.get_executor(pure=False, resources={self.name: 1})
        self.accepted: set[str] = set()  # addresses, also of workers that are gone
        self.usable: set[str] = set()  # accepted workers at the last query
        self.refused: dict[str, str] = {}  # reasons, by address
        self.told: set[str] = set()  # refused workers that were reported
        self.faults: Counter[str] = Counter()  # by address
        # candidate workers, and the first result
        self.retries: dict[Future, tuple[set[str], Graded]] = {}
        self.listening = Event()  # set when the first event was heard
        self.looked = 0.0
        self.last_worker = time.monotonic()  # last time at which a worker could grade

    @contextlib.contextmanager
    def checking_workers(self, settings: RunSettings) -> Iterator[None]:
        """Until the block ends, compare each worker's graders and versions with those of this
        process, also of workers that join later. Equal workers may grade.

        Raises `NoWorkers` if the scheduler does not answer.
        """
        expected = pickle.dumps((run_task, settings, own_stamp(settings)))
        self._subscribe()
        cloudpickle.register_pickle_by_value(dask_worker)
        try:
            # a worker that cannot answer never offers the resource
            with contextlib.suppress(Exception):
                self.client.register_plugin(WorkerCheck(self.name, expected))
        finally:
            cloudpickle.unregister_pickle_by_value(dask_worker)
        try:
            yield
            with contextlib.suppress(NoWorkers):
                self._look(time.monotonic())  # also reports a worker that was lost at the end
        finally:
            with contextlib.suppress(Exception):  # a lost scheduler needs no cleanup
                unregister = self.client.scheduler.unregister_worker_plugin  # type: ignore[union-attr]
                self.client.sync(unregister, name=self.name, callback_timeout=CONNECT_SECONDS)

    @property
    def workers(self) -> int:
        """The number of workers that may grade.

        Reading it queries the cluster, at most once a second, more often while no worker may
        grade. `tell` is then called for each change. Raises `NoWorkers` if no worker may grade and
        waiting is useless, or if the scheduler is lost.
        """
        now = time.monotonic()
        if now > self.looked + (POLL_SECONDS if self.usable else FIRST_LOOK_SECONDS):
            self.looked = now
            self._look(now)
        return len(self.usable)

    def submit(self, function: Callable, /, *arguments: object) -> Future:  # type: ignore[override]
        """Run the function on a worker, and return a future of its result. A `not_graded` result
        is retried once on another host, if a worker there may grade.

        The future's exception is `LostWorkers` if too many workers were lost with this task,
        `NoWorkers` if the scheduler was lost, or any exception of the function or of pickling it.
        """
        outcome: Future = Future()
        try:
            packed = pack(function, *arguments)
            first = self.on_workers.submit(pickle.loads, packed)
        except Exception as error:
            outcome.set_exception(error if self.client.status == "running" else NoWorkers(GONE))
        else:
            first.add_done_callback(partial(self._end_first, packed, outcome))
        return outcome

    def _end_first(self, packed: bytes, outcome: Future, first: Future) -> None:
        """Finish `outcome`, or retry a `not_graded` result on another host."""
        try:
            address, result = first.result()
        except BaseException as error:
            outcome.set_exception(_worded(error))
            return
        usable = self.accepted - self.refused.keys()  # `self.usable` may be too old
        elsewhere = {candidate for candidate in usable if _host(candidate) != _host(address)}
        if not (_is_not_graded(result) and elsewhere):
            outcome.set_result(result)
            return
        self.retries[outcome] = elsewhere, result
        second = self.on_workers.submit(pickle.loads, packed, workers=list(elsewhere))
        second.add_done_callback(partial(self._end_retry, address, outcome))

    def _end_retry(self, address: str, outcome: Future, second: Future) -> None:
        """Finish `outcome`. After a success, count a fault of the first worker (`address`)."""
        _, failed = self.retries.pop(outcome, (None, None))
        if failed is None:
            return
        result: object = failed
        with contextlib.suppress(Exception):  # keeps the first result
            result = second.result()[1]
            self.faults[address] += not _is_not_graded(result)
            if self.faults[address] == MAX_FAULTS:
                self.refused[address] = (
                    f"it failed with submissions that another host could grade ({failed.verdict.reason}); "
                    "mend that and start it again."
                )
        outcome.set_result(result)

    def _subscribe(self) -> None:
        """Subscribe to workers' events, and wait for an event of our own. Raises `NoWorkers`."""
        self.client.subscribe_topic(self.name, self._hear)
        end = time.monotonic() + CONNECT_SECONDS
        # the scheduler may handle our other messages before the subscription
        try:
            while not self.listening.is_set():
                self.client.log_event(self.name, {})
                self.listening.wait(FIRST_LOOK_SECONDS)
                if time.monotonic() > end:
                    raise TimeoutError("it sends no events")
        except OSError as error:
            raise _unanswered(error) from error

    def _hear(self, event: tuple) -> None:
        """Record whether a worker may grade. `event`: a time, and a dict with the worker's
        `address` and a reason `why` ("" if it may grade). The dict is empty in an event of our
        own.
        """
        self.listening.set()
        _, answer = event
        if not answer:  # our own
            return
        if answer["why"]:
            self.refused[answer["address"]] = answer["why"]
        else:
            self.accepted.add(answer["address"])

    def _look(self, now: float) -> None:
        """Query the workers, retire refused ones, report changes, and end retries without a host.

        Raises `NoWorkers` if the scheduler is lost, or if waiting for workers is useless.
        """
        addresses = self._addresses()
        refused = dict(self.refused)
        if newly_refused := refused.keys() - self.told:
            self.told |= newly_refused
            for address in newly_refused:
                self.tell(f"The worker {address} is retired: {refused[address]}")
            # refused workers never get a task anyway
            with contextlib.suppress(OSError, LookupError):
                self.client.retire_workers([*newly_refused])
        usable = (self.accepted & addresses) - refused.keys()
        self._tell_changes(usable)
        self.usable = usable
        for outcome, (elsewhere, _) in list(self.retries.items()):
            if not elsewhere & usable and (retry := self.retries.pop(outcome, None)):
                outcome.set_result(retry[1])
        self._raise_if_no_workers(now, addresses - refused.keys())

    def _addresses(self) -> set[str]:
        """Return the addresses of all workers. Raises `NoWorkers` if the scheduler is lost."""
        if self.client.status != "running":
            raise NoWorkers(GONE)
        try:
            return set(self.client.nthreads())
        except (OSError, TimeoutError, LookupError) as error:
            raise _unanswered(error) from error

    def _tell_changes(self, usable: set[str]) -> None:
        """Report workers that joined or were lost since the last query."""
        count = len(usable)
        if joined := usable - self.usable:
            self.tell(f"{plural(len(joined), 'worker')} joined ({_hosts(joined)}): {count} in all.")
        if lost_workers := self.usable - usable - self.refused.keys():
            self.tell(
                f"Lost {plural(len(lost_workers), 'worker')} ({_hosts(lost_workers)}), {count} left: "
                "what was not finished is tried again."
            )

    def _raise_if_no_workers(self, now: float, unrefused: set[str]) -> None:
        """Raise `NoWorkers` if waiting for a worker is useless. `unrefused`: addresses."""
        if self.usable:
            self.last_worker = now
            return
        waited = now - self.last_worker
        if waited > START_SECONDS or (
            not unrefused and (self.refused or waited > NO_WORKER_SECONDS)
        ):
            reasons = [f"{address}: {reason}" for address, reason in self.refused.items()]
            reasons += [
                f"{address}: it does not say whether it can grade." for address in unrefused
            ]
            raise NoWorkers(
                " ".join(reasons) or "The scheduler has no workers: start some with `dask worker`."
            )


def _unanswered(error: Exception) -> NoWorkers:
    return NoWorkers(f"The scheduler does not answer ({error}): grade again for the rest.")


def _worded(error: BaseException) -> BaseException:
    """Replace Dask's exceptions on a lost worker or scheduler by our own."""
    if isinstance(error, KilledWorker):
        return LostWorkers(error.allowed_failures + 1)
    return NoWorkers(GONE) if isinstance(error, CancelledError) else error


def _is_not_graded(result: object) -> TypeGuard[Graded]:
    return isinstance(result, Graded) and result.verdict.state == "not_graded"


def _host(address: str) -> str:
    """Return the host in a worker's address: `tls://127.0.0.1:4321` -> `127.0.0.1`."""
    return address.rpartition(":")[0].rpartition("/")[2]


def _hosts(addresses: set[str]) -> str:
    return name_some(sorted(set(map(_host, addresses))))
