"""This machine's workers as an executor: pebble's process pool.

torch is imported twice, at the same time: by the forkserver that forks workers, and by a warm
parent in the sandbox, which forks another parent for each worker. If a worker is lost, only the
future of its current task fails.
"""

import atexit
import contextlib
import gc
import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, InvalidStateError, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.util import get_temp_dir
from typing import Any, ClassVar

from pebble import ProcessExpired, ProcessPool
from pebble.common import Result, ResultStatus

from autograder.classroom.forkserver import start_forkserver, wait_for_forkserver
from autograder.classroom.worker import (
    NoWorkers,
    claim_a_processor,
    prepared_walls,
    use_warm_parent,
)
from autograder.engine import RunSettings, SandboxError, grading, limits, sandbox

POLL_SECONDS = 0.5  # between two checks whether the pool is broken
PRELOADED = "autograder.engine.grading.grade"  # with torch

_parents: dict[str, sandbox.ListeningParent] = {}  # by level of the sandbox


class LocalPool(Executor):
    """Worker processes on this machine. A dying worker fails its future with one of `LOST`."""

    LOST: ClassVar[tuple[type[BaseException], ...]] = (ProcessExpired, BrokenProcessPool)
    ATTEMPTS: ClassVar[int] = 3

    def __init__(self, workers: int, address: str):
        """`workers`: number of workers. `address`: of the warm parent that forks candidates."""
        self.count = workers
        self.address = address
        self.starts = 0  # of the pool, since the last completed task
        self.pending: set[Future] = set()
        self.pool = self._new()

    @property
    def workers(self) -> int:
        """The number of workers. Reading it fails the futures of lost workers."""
        if self.pending and not self.pool.active:
            for future in tuple(self.pending):
                with contextlib.suppress(InvalidStateError):
                    future.set_exception(BrokenProcessPool("the workers are gone"))
        elif self.pending:
            self._fail_orphans()
        return self.count

    def _fail_orphans(self) -> None:
        """Fail tasks that a worker took just before it died. If pebble forgets the worker before
        it learns that the worker took the task, the task stays pending for ever (pebble's issue
        153).
        """
        manager = self.pool._pool_manager
        for task in tuple(manager.task_manager.tasks.values()):
            if task.worker_id and task.worker_id not in manager.worker_manager.workers:
                error = ProcessExpired("Abnormal termination", pid=task.worker_id)
                manager.task_manager.task_done(task.id, Result(ResultStatus.ERROR, error))

    def submit(self, function: Callable, /, *arguments: Any, **options: Any) -> Future:
        """Run the function on a worker, after restarting a broken pool. Raises `NoWorkers`."""
        while True:
            try:
                future = self.pool.schedule(function, arguments, options)
                break
            except RuntimeError:  # the pool is broken
                self.shutdown()
                self.pool = self._new()
        self.pending.add(future)
        future.add_done_callback(self._note)
        return future

    def try_worker(self, settings: RunSettings) -> tuple[str, str] | None:
        """Make a worker import torch and set up its sandbox, before a submission can cause a
        failure. Return the result of `prepared_walls`, or None without a sandbox. Raises
        `NoWorkers` if no worker succeeds.
        """
        for _ in range(self.ATTEMPTS):
            future = self.submit(prepared_walls, settings)
            while not wait([future], POLL_SECONDS).done and self.workers:
                continue  # reading `workers` ends the future of a broken pool
            error = future.exception()
            if error is None:
                return future.result()
            if isinstance(error, SandboxError):
                return None  # a run in which all verdicts are current needs no sandbox
            if not isinstance(error, self.LOST):
                raise _no_workers(grading.describe_error(error)) from error
        raise _no_workers("something ended their processes")

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End all workers at once, even busy ones. `Executor` requires the arguments."""
        self.pool.stop()
        self.pool.join()

    def _new(self) -> ProcessPool:
        """Start a pool. Raises `NoWorkers` if several in a row have broken."""
        self.starts += 1
        if self.starts > self.ATTEMPTS + 1:  # one task may break the pool at each of its attempts
            raise _no_workers("something ended their processes")
        context = multiprocessing.get_context("forkserver")
        return ProcessPool(
            self.count, initializer=_begin, initargs=(self.address,), context=context
        )

    def _note(self, future: Future) -> None:
        """Forget a finished future. Unless the pool broke, reset the count of broken pools."""
        self.pending.discard(future)
        if not future.cancelled() and not isinstance(future.exception(), BrokenProcessPool):
            self.starts = 0


def _no_workers(reason: str) -> NoWorkers:
    """Return the error for workers that do not start."""
    advice = sandbox.advice_on(reason) or [*sandbox.memory_advice(), sandbox.PROCESSES]
    return NoWorkers(" ".join([f"The workers cannot be started here: {reason}.", *advice]))


@contextlib.contextmanager
def local_pool(level: str, workers: int) -> Iterator[LocalPool]:
    """Yield a pool of workers on this machine, which begin to import torch. `level`: level of the
    sandbox, or REQUIRE for any walled level. Raises `SandboxError` if the sandbox cannot be set
    up, `NoWorkers` if no worker can be started.
    """
    try:
        start_forkserver(PRELOADED)
    except OSError as error:
        raise _no_workers(str(error)) from error
    address = _warm_parent(_likely_level(level)).address
    wait_for_forkserver()
    with LocalPool(workers, address) as pool:
        yield pool


def _likely_level(level: str) -> str:
    """Predict the workers' level by a short trial. On a mismatch, they start their own parents."""
    if level != limits.REQUIRE:
        return level
    try:
        sandbox.try_namespaces()
    except SandboxError:
        return limits.LANDLOCK
    return limits.NAMESPACES


def _warm_parent(level: str) -> sandbox.ListeningParent:
    """Return this process's warm parent for this level, shared by all pools."""
    if level not in _parents or not _parents[level].lives():
        end_parents(level)
        try:
            parent = _parents[level] = sandbox.ListeningParent(level)
        except SandboxError as error:
            raise sandbox.with_advice(error) from error
        # a child of multiprocessing shares the temporary folder of its parent
        own_folders = () if multiprocessing.parent_process() else (get_temp_dir(),)
        _remove_when_ended(parent.folder.name, parent.started.folder.name, *own_folders)
    return _parents[level]


def _remove_when_ended(*folders: str) -> None:
    """Remove these temporary folders once this process has ended, even if it was killed."""
    command = ["sh", "-c", 'cat; rm -rf -- "$@"', "sh", *folders]  # until its input is closed
    reading, _ = os.pipe()  # the other end stays open as long as this process lives
    null = (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)
    streams = [(os.POSIX_SPAWN_DUP2, reading, 0), null, (os.POSIX_SPAWN_DUP2, 1, 2)]
    os.posix_spawnp("sh", command, os.environ, file_actions=streams, setsid=True)
    os.close(reading)


@atexit.register
def end_parents(*levels: str) -> None:
    """End this process's warm parents for these levels of the sandbox, or all without arguments."""
    for level in levels or tuple(_parents):
        if parent := _parents.pop(level, None):
            parent.end()


def _begin(address: str) -> None:
    """Prepare a worker, in its own process. `address`: of the warm parent."""
    gc.freeze()  # keeps imported modules shared, because the collector no longer touches them
    claim_a_processor()
    use_warm_parent(address)
    run = multiprocessing.parent_process()
    assert run
    threading.Thread(target=_end_with, args=(run,), daemon=True).start()


def _end_with(run: Any) -> None:
    """End this worker at once when the process of the class run has ended."""
    run.join()
    os._exit(1)
