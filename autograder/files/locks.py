"""Locks: one process at a time in a folder."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from autograder.text.errors import CommandError

NO_LOCKS = "This needs locks that Windows does not have: use Linux there (WSL), or a container."


class Busy(CommandError):
    """The lock cannot be had: another process holds it, or this system has none; the message says
    which.
    """


@contextlib.contextmanager
def locked(place: Path, sentence: str) -> Iterator[None]:
    """Hold the lock of a folder, or of a file that is made for it.

    The kernel releases it however the process ends.

    Raises `Busy` with the sentence while somebody else holds it, and `OSError` where the place does
    not open. Some network file systems have no locks for folders: there nobody is kept out. Windows
    has none at all: there `Busy` says so.
    """
    try:
        import fcntl  # not on Windows
    except ImportError:
        raise Busy(NO_LOCKS) from None
    folder = place.is_dir()
    descriptor = os.open(place, os.O_RDONLY if folder else os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Busy(sentence) from error
        except OSError:
            if not folder:
                raise
        yield
    finally:
        os.close(descriptor)
