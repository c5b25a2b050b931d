"""A Dask cluster as an executor. Dask schedules the tasks, and retries those of a worker that was
lost.

This module decides what Dask cannot: which workers may grade, and when waiting for workers is
useless. A worker that may grade offers a Dask resource named after this run, and every task
requires that resource. So no other worker gets a task.
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
POLL_SECONDS = 1.0  # between two looks at which workers there are
FIRST_LOOK_SECONDS = 0.05  # between two of them while none can grade
NO_WORKER_SECONDS = 60.0  # with a cluster that has no worker, before giving up
START_SECONDS = 300.0  # with workers that do not say whether they can grade: a disk may be cold
MAX_FAULTS = 2  # of a worker, with submissions that another host can grade
NOISY = "asyncio", "distributed"  # complain of what a lost worker or scheduler leaves unfinished
CONFIG = {
    # what the client keeps of its last messages: each has a submission in it
    "distributed.admin.low-level-log-length": 20,
    "distributed.admin.large-graph-warning-threshold": "1GiB",
}
GONE = "The scheduler is gone: start it and its workers again, and grade again for the rest."


@contextlib.contextmanager
def dask_executor(
    address: str, settings: RunSettings, tell: Callable[[str], object]
) -> Iterator["DaskExecutor"]:
    """Connect to the Dask scheduler at this address; yield an executor on those of its workers that
    may grade.

    Each worker's graders and versions are compared with those of this process (`settings` name the
    assignment). `tell` is called with a sentence for each worker that joins, is lost or is refused.
    Raises `AutograderError` if no scheduler answers; `NoWorkers`, with the reasons, if no worker may
    grade.
    """
    with _silence(), dask.config.set(CONFIG), _connect(address) as client:
        executor = DaskExecutor(client, tell)
        with executor.checking_workers(settings):
            while not executor.workers:
                time.sleep(FIRST_LOOK_SECONDS)
            yield executor


def _connect(address: str) -> Client:
    """Return a client of the Dask scheduler at this address. Raises `AutograderError`, with the likely
    reason, if it cannot be reached.
    """
    check_settings(address)
    try:
        return Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise AutograderError(why_no_answer(address)) from error


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Suppress the log messages of Dask and asyncio within the block."""
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
    """An executor on those workers of a Dask cluster that may grade.

    Dask retries the tasks of a lost worker, and counts the loss against every task in that worker's
    queue.
    """

    LOST: ClassVar[tuple[type[BaseException], ...]] = (LostWorkers,)
    ATTEMPTS: ClassVar[int] = 2

    def __init__(self, client: Client, tell: Callable[[str], object]):
        """`tell`: is called with a sentence for each worker that joins, is lost or is refused."""
        self.client = client
        self.tell = tell
        self.name = f"autograder-{uuid4().hex}"  # of the run's plugin, topic and resource
        self.on_workers = client.get_executor(pure=False, resources={self.name: 1})
        self.accepted: set[str] = set()  # addresses, also of workers that are gone
        self.usable: set[str] = set()  # accepted ones at the last look
        self.refused: dict[str, str] = {}  # why, by address
        self.told: set[str] = set()  # refused ones
        self.faults: Counter[str] = Counter()  # by address
        self.retries: dict[Future, tuple[set[str], Graded]] = {}  # where, and the first result
        self.listening = Event()  # set when the first event was heard
        self.looked = 0.0
        self.last_worker = time.monotonic()  # when there last was one that can grade

    @contextlib.contextmanager
    def checking_workers(self, settings: RunSettings) -> Iterator[None]:
        """Until the block ends, compare each worker's graders and versions with those of this
        process, also of workers that join later. Those that are equal may grade.

        `settings`: of the run. Raises `NoWorkers` if the scheduler does not answer.
        """
        wanted = pickle.dumps((run_task, settings, own_stamp(settings)))
        self._subscribe()
        cloudpickle.register_pickle_by_value(dask_worker)
        try:
            # a worker that cannot answer never offers the resource
            with contextlib.suppress(Exception):
                self.client.register_plugin(WorkerCheck(self.name, wanted))
        finally:
            cloudpickle.unregister_pickle_by_value(dask_worker)
        try:
            yield
            with contextlib.suppress(NoWorkers):
                self._look(time.monotonic())  # a worker that was lost in the end is told, too
        finally:
            with contextlib.suppress(Exception):  # the scheduler is gone, and the plugin with it
                unregister = self.client.scheduler.unregister_worker_plugin  # type: ignore[union-attr]
                self.client.sync(unregister, name=self.name, callback_timeout=CONNECT_SECONDS)

    @property
    def workers(self) -> int:
        """The number of workers that may grade.

        Reading it asks the cluster, at most once a second, more often while no worker may grade;
        `tell` is then called for each change. Raises `NoWorkers` if no worker may grade and waiting
        for one is useless, or if the scheduler is lost.
        """
        now = time.monotonic()
        if now > self.looked + (POLL_SECONDS if self.usable else FIRST_LOOK_SECONDS):
            self.looked = now
            self._look(now)
        return len(self.usable)

    def submit(self, function: Callable, /, *arguments: object) -> Future:  # type: ignore[override]
        """Run the function on a worker, and return a future of its result. A result that is
        `not_graded` is retried once on another host, if a worker there may grade.

        The future's exception is `LostWorkers` if too many workers were lost with this task,
        `NoWorkers` if the scheduler was lost, else what the function raised, or what pickling it
        raised.
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
        """Handle the end of a task's first attempt (`first`): set the result or exception of
        `outcome`, the future that `submit` returned. If the result is `not_graded` and another host
        may grade, retry there instead.

        `packed`: the pickled call.
        """
        try:
            address, result = first.result()
        except BaseException as error:
            outcome.set_exception(_worded(error))
            return
        others = self.accepted - self.refused.keys()  # the last look may be too old
        elsewhere = {other for other in others if _host(other) != _host(address)}
        if not (_is_not_graded(result) and elsewhere):
            outcome.set_result(result)
            return
        self.retries[outcome] = elsewhere, result
        second = self.on_workers.submit(pickle.loads, packed, workers=list(elsewhere))
        second.add_done_callback(partial(self._end_retry, address, outcome))

    def _end_retry(self, address: str, outcome: Future, second: Future) -> None:
        """Handle the end of a retry (`second`): set the result of `outcome`, the future that
        `submit` returned. If the retry could be graded, count a fault of the worker at `address`,
        which failed first.
        """
        _, failed = self.retries.pop(outcome, (None, None))
        if failed is None:
            return
        result: object = failed
        with contextlib.suppress(Exception):  # then the first result stays
            result = second.result()[1]
            self.faults[address] += not _is_not_graded(result)
            if self.faults[address] == MAX_FAULTS:
                self.refused[address] = (
                    f"it failed with submissions that another host could grade ({failed.verdict.reason}); "
                    "mend that and start it again."
                )
        outcome.set_result(result)

    def _subscribe(self) -> None:
        """Subscribe to the events that workers send, before any worker can send one. Raises
        `NoWorkers` if the scheduler does not answer.

        The scheduler may handle other messages of ours before the subscription, so this waits until
        an event of our own arrives.
        """
        self.client.subscribe_topic(self.name, self._hear)
        end = time.monotonic() + CONNECT_SECONDS
        try:
            while not self.listening.is_set():
                self.client.log_event(self.name, {})
                self.listening.wait(FIRST_LOOK_SECONDS)
                if time.monotonic() > end:
                    raise TimeoutError("it sends no events")
        except OSError as error:
            raise _unanswered(error) from error

    def _hear(self, event: tuple) -> None:
        """Record an event: that a worker may grade, or why it may not. `event`: a time, and a dict
        with the worker's `address` and the reason `why` ("" if it may grade); the dict is empty in
        an event of our own.
        """
        self.listening.set()
        _, said = event
        if not said:  # our own
            return
        if said["why"]:
            self.refused[said["address"]] = said["why"]
        else:
            self.accepted.add(said["address"])

    def _look(self, now: float) -> None:
        """Ask the scheduler which workers there are; retire those that may not grade, call `tell`
        with a sentence on each change, and end retries whose hosts are gone with their first
        result. `now`: on the monotonic clock.

        Raises `NoWorkers` if the scheduler is lost, or if no worker may grade and waiting is
        useless.
        """
        there = self._addresses()
        refused = dict(self.refused)
        if new := refused.keys() - self.told:
            self.told |= new
            for address in new:
                self.tell(f"The worker {address} is retired: {refused[address]}")
            with contextlib.suppress(OSError, LookupError):  # they get no task in any case
                self.client.retire_workers([*new])
        usable = (self.accepted & there) - refused.keys()
        self._tell_changes(usable)
        self.usable = usable
        for outcome, (elsewhere, _) in list(self.retries.items()):
            if not elsewhere & usable and (left := self.retries.pop(outcome, None)):
                outcome.set_result(left[1])
        self._raise_if_no_workers(now, there - refused.keys())

    def _addresses(self) -> set[str]:
        """Return the addresses of all workers of the cluster. Raises `NoWorkers` if the scheduler
        is lost or does not answer.
        """
        if self.client.status != "running":
            raise NoWorkers(GONE)
        try:
            return set(self.client.nthreads())
        except (OSError, TimeoutError, LookupError) as error:
            raise _unanswered(error) from error

    def _tell_changes(self, usable: set[str]) -> None:
        """Call `tell` with a sentence on the workers that joined since the last look, and one on
        those that were lost. `usable`: the addresses of the workers that may grade now.
        """
        count = len(usable)
        if joined := usable - self.usable:
            self.tell(f"{plural(len(joined), 'worker')} joined ({_hosts(joined)}): {count} in all.")
        if lost := self.usable - usable - self.refused.keys():
            self.tell(
                f"Lost {plural(len(lost), 'worker')} ({_hosts(lost)}), {count} left: "
                "what was not finished is tried again."
            )

    def _raise_if_no_workers(self, now: float, others: set[str]) -> None:
        """Raise `NoWorkers` if no worker may grade and it is useless to wait for one.

        `now`: on the monotonic clock; `others`: the addresses of workers that were not refused.
        """
        if self.usable:
            self.last_worker = now
            return
        waited = now - self.last_worker
        if waited > START_SECONDS or (not others and (self.refused or waited > NO_WORKER_SECONDS)):
            reasons = [f"{address}: {why}" for address, why in self.refused.items()]
            reasons += [f"{address}: it does not say whether it can grade." for address in others]
            raise NoWorkers(
                " ".join(reasons) or "The scheduler has no workers: start some with `dask worker`."
            )


def _unanswered(error: Exception) -> NoWorkers:
    """Return the exception for a scheduler that does not answer."""
    return NoWorkers(f"The scheduler does not answer ({error}): grade again for the rest.")


def _worded(error: BaseException) -> BaseException:
    """Return our own exception in place of Dask's on a lost worker or scheduler; any other
    exception unchanged.
    """
    if isinstance(error, KilledWorker):
        return LostWorkers(error.allowed_failures + 1)
    return NoWorkers(GONE) if isinstance(error, CancelledError) else error


def _is_not_graded(result: object) -> TypeGuard[Graded]:
    """Whether a task's result is a submission that could not be graded."""
    return isinstance(result, Graded) and result.verdict.state == "not_graded"


def _host(address: str) -> str:
    """Return the host in a worker's address: `tls://127.0.0.1:4321` -> `127.0.0.1`."""
    return address.rpartition(":")[0].rpartition("/")[2]


def _hosts(addresses: set[str]) -> str:
    """Return the hosts in these workers' addresses, as a list in words."""
    return name_some(sorted(set(map(_host, addresses))))
