"""One at a time: whoever writes into a folder keeps others of its kind out."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path


class Busy(Exception):
    """Somebody else is at it; the message says so."""


@contextlib.contextmanager
def alone(place: Path, sentence: str) -> Iterator[None]:
    """Hold the lock of a folder, or of a file made for it; the kernel takes it back in any case.

    Raises `Busy` with the sentence while somebody else holds it, and `OSError` where the place does
    not open. Some network file systems have no locks for folders: there nobody is kept out.
    """
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
