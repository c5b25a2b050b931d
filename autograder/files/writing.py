"""Write files atomically: the old content stays until the new one is complete."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[str]]:
    """Yield a text file to write to; after the block it replaces the file at `path`, whose folder
    is created if needed.

    A lone surrogate, which UTF-8 cannot encode, is written as an escape that JSON reads. If the
    block raises an exception, or writing raises `OSError`, the file at `path` stays as it was.
    """
    with _replacing(path, "w", "utf-8", "backslashreplace", "") as file:
        yield file


@contextlib.contextmanager
def replacing_bytes(path: Path) -> Iterator[IO[bytes]]:
    """Yield a binary file to write to; after the block it replaces the file at `path`, as with
    `replacing`.
    """
    with _replacing(path, "wb") as file:
        yield file


@contextlib.contextmanager
def _replacing(
    path: Path,
    mode: str,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
) -> Iterator[IO]:
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, mode, encoding=encoding, errors=errors, newline=newline) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
