"""Where workers come from: processes of this machine, or a cluster that is there already."""

import contextlib
import logging
import signal
import tempfile
from collections.abc import Callable, Iterator
from multiprocessing import resource_tracker

import dask
from distributed import Client, LocalCluster
from distributed.security import Security

from autograder.classroom.errors import NoScheduler, NoWorkers

ATTEMPTS = 3  # at starting workers of our own
START_SECONDS = 120.0  # for a worker of our own to come up: Dask would wait for ever
CONNECT_SECONDS = 10
LOCAL_ADDRESS = "127.0.0.1:0"  # any free port, from this machine only
SETTINGS = {
    "distributed.worker.preload": ["autograder.classroom.worker_preload"],
    "distributed.worker.profile.enabled": False,  # it would wake up a hundred times a second
    "distributed.admin.system-monitor.gil.enabled": False,
    "logging": {"distributed": "critical", "distributed.worker.state_machine": "critical"},
}


@contextlib.contextmanager
def cluster(jobs: int, scheduler: str | None) -> Iterator[Client]:
    """A client of this scheduler, or of `jobs` processes here. Raises `NoScheduler`, `NoWorkers`."""
    asyncio = logging.getLogger("asyncio")  # complains of what a lost worker leaves unfinished
    level = asyncio.level
    asyncio.setLevel(logging.CRITICAL)
    try:
        with dask.config.set(SETTINGS), _client(jobs, scheduler) as client:
            yield client
    finally:
        asyncio.setLevel(level)


@contextlib.contextmanager
def _client(jobs: int, scheduler: str | None) -> Iterator[Client]:
    if scheduler is not None:
        with _connect(scheduler) as client:
            yield client
        return
    with (
        tempfile.TemporaryDirectory(prefix="autograder-", ignore_cleanup_errors=True) as folder,
        _without_ctrl_c(_start_workers, jobs, folder) as local,
        Client(local, set_as_default=False) as client,
    ):
        yield client


def _without_ctrl_c(start: Callable[..., LocalCluster], *arguments: object) -> LocalCluster:
    """Start while Ctrl-C is blocked: Dask, stopped half way, leaves processes behind.

    Workers inherit the block, and end it themselves (`worker_preload.py`).
    """
    resource_tracker.ensure_running()  # later, it would let Ctrl-C through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return start(*arguments)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_workers(jobs: int, folder: str) -> LocalCluster:
    """Start processes of our own; if one is lost on the way, start again. Raises `NoWorkers`."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return LocalCluster(
                n_workers=jobs,
                threads_per_worker=1,
                death_timeout=START_SECONDS,
                scheduler_kwargs={"dashboard": False},
                dashboard_address=LOCAL_ADDRESS,  # Dask serves metrics there all the same
                worker_dashboard_address=LOCAL_ADDRESS,
                memory_limit=0,  # candidates have limits, and so has each submission in the examiner
                local_directory=folder,
                silence_logs=logging.CRITICAL,
                security=Security.temporary(),  # else anybody with an account here could run code
            )
        except (RuntimeError, OSError, AssertionError) as error:
            if attempt == ATTEMPTS:
                # Dask asserts something of its own where the time is up
                why = "not in time" if isinstance(error, AssertionError) else error
                raise NoWorkers(
                    f"The workers cannot be started here ({why}): is there memory for all of "
                    "them? Grade again, perhaps with fewer --jobs."
                ) from error
    raise AssertionError("the last attempt returned or raised")


def _connect(scheduler: str) -> Client:
    try:
        return Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise NoScheduler(
            f"No Dask scheduler answers at `{scheduler}`: start one with `dask scheduler`, "
            "or leave out --scheduler to grade on this machine."
        ) from error
