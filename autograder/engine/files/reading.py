"""Read files up to a limit on their size, without following a link below a given folder.

Submitted files are opened here and nowhere else. Most functions take two paths: the file, and
`top`, a folder around it that staff named. `top` itself may be a link, but no link below it is
followed. Only regular files are opened.

A second hard link to a file is indistinguishable from the first, and deduplicating backups make
them, so they are read. Nobody can make a hard link to a file that they may not read, or that is on
another file system, and no archive that is unpacked here can contain one.
"""

import contextlib
import errno
import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Literal

from autograder.engine.files import by_path
from autograder.engine.texts.printable import printable

MOST_NAMES = 100_000  # in a folder
PIECE = 1 << 20  # bytes that are read at a time
HASH_DIGITS = 16  # of the hash of a file
BY_DESCRIPTOR = os.open in os.supports_dir_fd  # folders can be opened, too: on Linux and macOS
if BY_DESCRIPTOR:
    FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
    FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC  # do not wait for a pipe
else:
    FILE = by_path.AS_BYTES

Kind = Literal["file", "folder", "other"]  # other: a link, a pipe, a device, a socket


class NotRegular(OSError):
    """The path contains a link, or is neither a regular file nor the expected folder."""


class TooMany(NotRegular):
    """A folder has more entries than the limit."""


class TooLarge(OSError):
    """A file has more bytes than the limit: `size`."""

    def __init__(self, size: int):
        super().__init__(f"{size} bytes")
        self.size = size


@dataclass(frozen=True)
class Entry:
    """One entry of a folder."""

    name: str
    kind: Kind
    size: int  # bytes
    changed: float  # seconds since 1970
    owner: int  # user id; 0 on Windows


def read_regular(path: Path, max_bytes: int, top: Path) -> bytes:
    """Return the bytes of the regular file at `path`, without following a link below `top`.

    Raise `TooLarge` if it has more than `max_bytes`, `NotRegular` if the path contains a link or is
    not a regular file, and another `OSError` if it is missing or cannot be read.
    """
    with opened(path, top) as file:
        return _read(file, max_bytes)


def read_named(path: Path, max_bytes: int) -> bytes:
    """Return the bytes of a file that staff named; the path may be a link to a regular file.

    Raise `TooLarge` if it has more than `max_bytes`, `NotRegular` if it is not a regular file.
    """
    with _regular(os.open(path, FILE), path) as file:
        return _read(file, max_bytes)


def hash_of(path: Path, max_bytes: int, top: Path) -> str:
    """Return the hash of a file's content, without following a link below `top`.

    The hash of a file with more than `max_bytes` covers only its first `max_bytes` and its size.
    Return "" if the file cannot be read.
    """
    digest, remaining = hashlib.sha256(), max_bytes
    try:
        with opened(path, top) as file:
            size = os.fstat(file.fileno()).st_size
            while piece := file.read(min(remaining, PIECE)):
                digest.update(piece)
                remaining -= len(piece)
    except OSError:
        return ""
    if size > max_bytes:
        digest.update(str(size).encode())
    return digest.hexdigest()[:HASH_DIGITS]


def bytes_hash(data: bytes) -> str:
    """Return the hash of `data`, as `hash_of` returns it for a whole file with this content."""
    return hashlib.sha256(data).hexdigest()[:HASH_DIGITS]


def read_end(path: Path, max_bytes: int) -> bytes:
    """Return at most the last `max_bytes` of a regular file that staff named.

    Raise `NotRegular` if it is not a regular file.
    """
    with _regular(os.open(path, FILE), path) as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - max_bytes))
        return file.read(max_bytes)


@contextlib.contextmanager
def opened(path: Path, top: Path) -> Iterator[BufferedReader]:
    """Open a regular file for reading during the block, without following a link below `top`.

    Raise `NotRegular` if the path contains a link or is not a regular file, and another `OSError`
    if it is missing or cannot be opened.
    """
    with _regular(_opened_below(path, top), path) as file:
        yield file


def _opened_below(path: Path, top: Path) -> int:
    *above, name = _parts(path, top) or [""]
    words = f"`{printable(path.name)}` is no regular file"
    if not BY_DESCRIPTOR:
        with _saying(words):
            return by_path.open_regular(top, [*above, name])
    with _folder(top, above) as folder:
        if not stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise NotRegular(words)
        with _saying(words):
            return os.open(name, FILE | os.O_NOFOLLOW, dir_fd=folder)


def kind_of(path: Path, top: Path) -> Kind | None:
    """Return the kind of the entry at `path`, or None if it does not exist.

    Raise `NotRegular` if a folder between `top` and `path` is a link.
    """
    *above, name = _parts(path, top) or ["."]
    try:
        if not BY_DESCRIPTOR:
            return _kind(os.lstat(_folder_by_path(top, above) / name).st_mode)
        with _folder(top, above) as folder:
            return _kind(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return None


def entries(folder: Path, top: Path, max_entries: int = MOST_NAMES) -> list[Entry]:
    """Return the entries of a folder, sorted by name, without following a link below `top`.

    Raise `TooMany` if there are more than `max_entries`, `NotRegular` if the path contains a link
    or is not a folder.
    """
    listing: list[Entry] = []
    with _listed(top, _parts(folder, top)) as listed:
        for item in listed:
            if len(listing) >= max_entries:
                raise TooMany(f"`{printable(folder.name)}` holds too many files and folders")
            with contextlib.suppress(FileNotFoundError):  # deleted meanwhile
                info = item.stat(follow_symlinks=False)
                kind = _kind(info.st_mode)
                listing.append(Entry(item.name, kind, info.st_size, info.st_mtime, info.st_uid))
    return sorted(listing, key=lambda entry: entry.name)


def walk(
    folder: Path,
    top: Path,
    depth: int,
    skipped: Callable[[str], bool] = lambda _: False,
    strict: bool = True,
    most: int = MOST_NAMES,
) -> Iterator[tuple[tuple[str, ...], Entry]]:
    """Yield (path from `folder` as a tuple, entry) of everything below `folder` except folders.

    The entries are sorted by path. `top`: the folder below which no link is followed. `depth`: the
    levels of folders to enter. `skipped`: whether to leave out a folder, by its name.
    `most`: the limit on all listed entries, including folders.

    A folder below `depth` is yielded itself instead of its content. Another folder that cannot be
    listed, or has too many entries, raises `NotRegular`, `TooMany` or another `OSError`. With
    `strict=False` it is yielded itself, too. After too many entries, no further folder is entered
    or yielded. If `folder` itself cannot be listed, these errors are always raised.
    """
    top_entries = reversed(entries(folder, top, most))
    todo: list[tuple[tuple[str, ...], Entry]] = [((entry.name,), entry) for entry in top_entries]
    count, full = len(todo), False
    while todo:
        path, entry = todo.pop()
        if entry.kind == "folder" and (full or skipped(entry.name)):
            continue
        if entry.kind != "folder" or len(path) > depth:
            yield path, entry
            continue
        try:
            inside = entries(folder.joinpath(*path), top, most - count)
        except OSError as error:
            if strict:
                raise
            full = isinstance(error, TooMany)
            yield path, entry
        else:
            count += len(inside)
            todo += [((*path, inner.name), inner) for inner in reversed(inside)]


def _read(file: BufferedReader, max_bytes: int) -> bytes:
    size = os.fstat(file.fileno()).st_size
    if size > max_bytes:
        raise TooLarge(size)
    data = file.read(max_bytes + 1)
    if len(data) > max_bytes:  # the file has grown meanwhile
        raise TooLarge(max(size, len(data)))
    return data


def _parts(path: Path, top: Path) -> list[str]:
    """Return the path from `top` down to `path`, split into names.

    Raise `NotRegular` if it contains `..` or characters that no path can have, `ValueError` if
    `path` is not below `top`.
    """
    parts = list(path.relative_to(top).parts)
    try:
        good = ".." not in parts and b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        good = False
    if not good:
        raise NotRegular(f"`{printable(path.name)}` is no path to a file")
    return parts


@contextlib.contextmanager
def _folder(top: Path, parts: list[str]) -> Iterator[int]:
    """Yield a descriptor of the folder at `top` / `parts`, opened without following a link.

    Raise `NotRegular` if a part is a link or not a folder.
    """
    descriptor = os.open(top, FOLDER)
    try:
        for part in parts:
            with _saying(f"`{printable(part)}` is a link or no folder"):
                lower = os.open(part, FOLDER | os.O_NOFOLLOW, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = lower
        yield descriptor
    finally:
        os.close(descriptor)


def _folder_by_path(top: Path, parts: list[str]) -> Path:
    # Windows has no descriptors of folders
    with _saying(f"`{printable('/'.join(parts))}` is a link or no folder"):
        return by_path.folder(top, parts)


@contextlib.contextmanager
def _listed(top: Path, parts: list[str]) -> Iterator[Iterator[os.DirEntry]]:
    if not BY_DESCRIPTOR:
        with os.scandir(_folder_by_path(top, parts)) as listed:
            yield listed
        return
    with _folder(top, parts) as descriptor, os.scandir(descriptor) as listed:
        yield listed


@contextlib.contextmanager
def _regular(descriptor: int, path: Path) -> Iterator[BufferedReader]:
    """Yield the open file of a descriptor. Raise `NotRegular` if it is not a regular file."""
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NotRegular(f"`{printable(path.name)}` is no regular file")
    with os.fdopen(descriptor, "rb") as file:
        yield file


@contextlib.contextmanager
def _saying(words: str) -> Iterator[None]:
    """Within the block, turn the system's errors about links, special files and missing folders
    into `NotRegular` with the message `words`.
    """
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.ENXIO):
            raise NotRegular(words) from error
        raise


def _kind(mode: int) -> Kind:
    return "file" if stat.S_ISREG(mode) else "folder" if stat.S_ISDIR(mode) else "other"
