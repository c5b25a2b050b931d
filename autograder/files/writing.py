"""Write files that replace others whole or not at all."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[str]]:
    """Yield a text file that replaces `path` once it is complete and on the disk.

    A lone surrogate, which UTF-8 cannot encode, is written as an escape that JSON reads. Raises
    `OSError`; then, as after any exception inside, `path` is unchanged.
    """
    with _replacing(path, "w", "utf-8", "backslashreplace", "") as file:
        yield file


@contextlib.contextmanager
def replacing_bytes(path: Path) -> Iterator[IO[bytes]]:
    """The same for a binary file. Raises `OSError`."""
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
