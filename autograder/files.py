"""Files: written so that a reader sees the old one or the new one, read within bounds, locked."""

import contextlib
import fcntl
import hashlib
import os
import stat
import tempfile
import zipfile
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import IO

FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # of zip's calendar


class NotRegular(OSError):
    """This is a link, a folder, a pipe or a device, and no file that may be opened."""


class TooLarge(OSError):
    """The file has more bytes than may be read; `size` says how many."""

    def __init__(self, size: int):
        super().__init__(f"{size} bytes")
        self.size = size


class Busy(Exception):
    """Somebody else is at it; the message says so."""


def read_regular(path: Path, most: int) -> bytes:
    """Return the bytes of a regular file, following no link.

    Raises `NotRegular`, `TooLarge` where it has more than `most` bytes, and `OSError`.
    """
    with opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > most:
            raise TooLarge(size)
        data = file.read(most + 1)
        if len(data) > most:  # it has grown meanwhile
            raise TooLarge(max(size, len(data)))
        return data


def hash_of(path: Path, most: int) -> str:
    """Return the hash of a regular file's content; the empty string where there is none to read.

    Of a file with more than `most` bytes it is the hash of the first `most` and of the size.
    """
    try:
        with opened(path) as file:
            size = os.fstat(file.fileno()).st_size
            digest = hashlib.sha256(file.read(most))
    except OSError:
        return ""
    if size > most:
        digest.update(str(size).encode())
    return digest.hexdigest()[:16]


@contextlib.contextmanager
def opened(path: Path) -> Iterator[BufferedReader]:
    """A regular file, open for reading. No link is followed, and no pipe waited for.

    Raises `NotRegular`, `OSError`.
    """
    if not stat.S_ISREG(path.lstat().st_mode):
        raise NotRegular(f"`{path}` is no regular file")
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):  # another one by now
            raise NotRegular(f"`{path}` is no regular file")
        yield file


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[str]]:
    """A text file that takes the place of `path` once it is complete and on the disk.

    Raises `OSError`; then, as after any exception inside, `path` is as it was.
    """
    with _replacing(path, "w", "utf-8", "") as file:
        yield file


@contextlib.contextmanager
def replacing_bytes(path: Path) -> Iterator[IO[bytes]]:
    """The same for a file of bytes. Raises `OSError`."""
    with _replacing(path, "wb") as file:
        yield file


@contextlib.contextmanager
def _replacing(
    path: Path, mode: str, encoding: str | None = None, newline: str | None = None
) -> Iterator[IO]:
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, mode, encoding=encoding, newline=newline) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def write_zip(path: Path, files: dict[str, bytes]) -> None:
    """Write the files into a zip that takes the place of `path`. Raises `OSError`."""
    with replacing_bytes(path) as target, zipfile.ZipFile(target, "w") as archive:
        for name, content in files.items():
            member = zipfile.ZipInfo(name, FIRST_DAY)
            member.external_attr = 0o644 << 16
            archive.writestr(member, content, zipfile.ZIP_DEFLATED)


@contextlib.contextmanager
def locked(place: Path, sentence: str) -> Iterator[None]:
    """Hold the lock of a folder, or of a file that is made for it.

    The kernel releases it however the process ends.

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
