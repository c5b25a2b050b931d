"""Write a file so that a reader sees the old one or the new one, whole."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO


@contextlib.contextmanager
def replacing(path: Path, binary: bool = False) -> Iterator[IO]:
    """A file that takes the place of `path` once it is complete and on the disk: text, or bytes.

    Raises `OSError`; then, as after any exception inside, `path` is as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        mode, encoding, newline = ("wb", None, None) if binary else ("w", "utf-8", "")
        with os.fdopen(descriptor, mode, encoding=encoding, newline=newline) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
