"""File locks that let one process at a time work in a folder."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from autograder.engine.texts.errors import AutograderError

NO_LOCKS = "This needs locks that Windows does not have: use Linux there (WSL), or a container."


@contextlib.contextmanager
def locked(place: Path, sentence: str) -> Iterator[None]:
    """Hold the lock on `place`, an existing folder or a file to create, during the block.

    Raise `AutograderError` at once if another process holds the lock (with the message `sentence`),
    if the file belongs to another user, or on Windows, which has no such locks. Raise `OSError` if
    `place` cannot be opened.

    The kernel releases the lock when the process ends, however it ends. On a network file system
    without locks for folders, the block runs without a lock.
    """
    try:
        import fcntl  # not on Windows
    except ImportError:
        raise AutograderError(NO_LOCKS) from None
    folder = place.is_dir()
    try:
        descriptor = os.open(place, os.O_RDONLY if folder else os.O_RDWR | os.O_CREAT, 0o666)
    except PermissionError as error:
        raise AutograderError(
            f"`{place}` belongs to another user, who keeps it from you. For several teachers, set "
            "`c.CourseDirectory.groupshared = True` and let the course's folder belong to their group."
        ) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise AutograderError(sentence) from error
        except OSError:
            if not folder:
                raise
        yield
    finally:
        os.close(descriptor)
