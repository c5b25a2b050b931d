"""Files that are replaced whole or not at all."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[str]]:
    """A text file that takes the place of `path` once it is complete and on the disk.

    Half a surrogate pair, which no UTF-8 has, is written as an escape that JSON reads. Raises
    `OSError`; then, as after any exception inside, `path` is as it was.
    """
    with _replacing(path, "w", "utf-8", "backslashreplace", "") as file:
        yield file


@contextlib.contextmanager
def replacing_bytes(path: Path) -> Iterator[IO[bytes]]:
    """The same for a file of bytes. Raises `OSError`."""
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
