"""A Dask cluster that is there already, to send submissions to."""

import contextlib
import logging
from collections.abc import Iterator

from distributed import Client

from autograder.classroom.errors import NoScheduler
from autograder.classroom.reach import check_settings, why_no_answer

CONNECT_SECONDS = 10
NOISY = "asyncio", "distributed"  # complain of what a lost worker or scheduler leaves unfinished


@contextlib.contextmanager
def cluster(scheduler: str) -> Iterator[Client]:
    """A client of the scheduler at this address. Raises `NoScheduler`."""
    loggers = [
        logging.getLogger(name)
        for name in (*NOISY, *logging.root.manager.loggerDict)
        if name.partition(".")[0] in NOISY
    ]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        with _connect(scheduler) as client:
            yield client
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _connect(scheduler: str) -> Client:
    """Raises `NoScheduler`."""
    check_settings(scheduler)
    try:
        return Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise NoScheduler(why_no_answer(scheduler)) from error
