"""Write files atomically: the old content stays until the new one is complete."""

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import IO


@contextlib.contextmanager
def only_for(group: bool) -> Iterator[None]:
    """Within this block, create files that only their owner, or also the group, can read and
    replace.
    """
    umask = os.umask(0o007 if group else 0o077)
    try:
        yield
    finally:
        os.umask(umask)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[str]]:
    """Yield a text file that replaces the file at `path` after the block.

    The folder is created if needed. A lone surrogate, which UTF-8 cannot encode, is written as an
    escape that JSON reads. If the block or writing raises an exception, the file at `path` stays
    unchanged.
    """
    with _replacing(path, "w", "utf-8", "backslashreplace", "") as file:
        yield file


@contextlib.contextmanager
def replacing_bytes(path: Path) -> Iterator[IO[bytes]]:
    """Yield a binary file that replaces the file at `path` after the block, as in `replacing`."""
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
    name = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    binary = getattr(os, "O_BINARY", 0)  # else Windows changes line ends
    descriptor = os.open(
        name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | binary, 0o666
    )  # less the umask
    try:
        with os.fdopen(descriptor, mode, encoding=encoding, errors=errors, newline=newline) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
