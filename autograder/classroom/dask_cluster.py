"""A Dask cluster that is there already, to send submissions to."""

import contextlib
import logging
from collections.abc import Iterator

import dask
from distributed import Client

from autograder.classroom.errors import NoScheduler

CONNECT_SECONDS = 10
SETTINGS = {"logging": {"distributed": "critical", "distributed.worker.state_machine": "critical"}}


@contextlib.contextmanager
def cluster(scheduler: str) -> Iterator[Client]:
    """A client of the scheduler at this address. Raises `NoScheduler`."""
    asyncio = logging.getLogger("asyncio")  # complains of what a lost worker leaves unfinished
    level = asyncio.level
    asyncio.setLevel(logging.CRITICAL)
    try:
        with dask.config.set(SETTINGS), _connect(scheduler) as client:
            yield client
    finally:
        asyncio.setLevel(level)


def _connect(scheduler: str) -> Client:
    try:
        return Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise NoScheduler(
            f"No Dask scheduler answers at `{scheduler}`: start one with `dask scheduler`, "
            "or leave out --scheduler to grade on this machine."
        ) from error
