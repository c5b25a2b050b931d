"""Read a download, zip or folder, as one kind of thing: members with names, times and bytes.

Nothing is extracted. A member is read when somebody asks for it, up to a size that is never trusted
to the download, and only if it is an ordinary file with an ordinary name.
"""

import contextlib
import io
import os
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from autograder.platforms.download import (
    ODD,
    Budget,
    Caps,
    Download,
    Member,
    NoDownload,
    Unacceptable,
    is_junk,
    sayable,
    split_name,
    told,
    without_doubles,
)

ENTRY = b"PK\x01\x02"  # begins each entry of a zip's directory
UTF8, ENCRYPTED = 0x800, 0x1  # flags of a zip's entry
MADE_ON_UNIX = 3
UNIX_TIMES = 0x5455  # an extra field: seconds since 1970, in UTC
UNREADABLE = (RuntimeError, NotImplementedError, OSError)  # places before a file's start, and such
PLAIN_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def open_download(path: Path, caps: Caps = Caps()) -> Download:
    """Return what is in a zip or a folder. Raises `NoDownload`, or `OSError`."""
    if path.is_dir():
        return _open_folder(path, caps)
    if not path.exists():
        raise NoDownload(f"There is no download `{path}`.")
    if not path.is_file():
        raise NoDownload(f"`{path}` is neither a zip nor a folder.")
    return _open_zip(path, path.name, str(path), Budget(caps))


def open_inner(data: bytes, name: str, caps: Caps = Caps()) -> Download:
    """Return what is in a zip that was handed in. Raises `NoDownload`."""
    if data.count(ENTRY) > caps.members:
        raise NoDownload(f"`{name}` has more than {caps.members} members.")
    return _open_zip(io.BytesIO(data), name, name, Budget(caps))


def _open_zip(file: Path | IO[bytes], name: str, shown: str, budget: Budget) -> Download:
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, struct.error, ValueError, EOFError, *UNREADABLE) as error:
        raise NoDownload(
            f"`{shown}` is no zip, or a damaged one ({_line(error)}); download it again."
        ) from error
    entries = archive.infolist()
    if len(entries) > budget.caps.members:
        raise NoDownload(f"`{shown}` has more than {budget.caps.members} members.")
    members: list[Member] = []
    refused: list[str] = []
    for entry in entries:
        if entry.orig_filename.endswith(("/", "\\")):
            continue
        written = _written(entry)
        try:
            parts = split_name(written, budget.caps)
            _accept(entry)
        except Unacceptable as error:
            refused += told(written, error)
            continue
        if not is_junk(parts):
            changed, by = _changed(entry)
            read = _reader(archive, entry, budget)
            members.append(Member(parts, changed, by, read, entry.CRC))
    return without_doubles(Download(name, members, refused))


def _written(entry: zipfile.ZipInfo) -> str:
    """The name as it was meant: UTF-8 wherever it can be, whether or not the zip says so."""
    name = entry.orig_filename
    if not entry.flag_bits & UTF8:
        with contextlib.suppress(UnicodeError):  # else in the alphabet of a zip's first days
            name = name.encode("cp437").decode("utf-8")
    return name


def _accept(entry: zipfile.ZipInfo) -> None:
    kind = stat.S_IFMT(entry.external_attr >> 16) if entry.create_system == MADE_ON_UNIX else 0
    if kind not in (0, stat.S_IFREG):
        raise Unacceptable("is a link or a device, no file")
    if entry.flag_bits & ENCRYPTED:
        raise Unacceptable("is encrypted")
    if entry.compress_type not in PLAIN_METHODS:
        raise Unacceptable("is packed in a way that is not read; pack it again as an ordinary zip")


def _reader(
    archive: zipfile.ZipFile, entry: zipfile.ZipInfo, budget: Budget
) -> Callable[[], bytes]:
    def read() -> bytes:
        if entry.file_size > budget.caps.member:
            return budget.take(io.BytesIO(), entry.file_size)
        try:
            with archive.open(entry) as file:
                return budget.take(file, entry.file_size)
        except (zipfile.BadZipFile, zlib.error, EOFError, struct.error) as error:
            raise Unacceptable(f"is damaged in the zip ({_line(error)})") from error
        except (ValueError, *UNREADABLE) as error:
            raise Unacceptable(f"cannot be read from the zip ({_line(error)})") from error

    return read


def _changed(entry: zipfile.ZipInfo) -> tuple[datetime | None, str]:
    """The time of a zip's entry: in UTC where the zip has that, else without a zone."""
    seconds = _unix_time(entry.extra)
    if seconds:
        return datetime.fromtimestamp(seconds, UTC), "the zip"
    try:
        changed = datetime(*entry.date_time)
    except ValueError:
        return None, "nobody"
    if changed.year == 1980:  # where a zip's calendar begins: nobody set it
        return None, "nobody"
    return changed, "the zip"


def _unix_time(extra: bytes) -> int | None:
    while len(extra) >= 4:
        kind, length = struct.unpack("<HH", extra[:4])
        if kind == UNIX_TIMES and length >= 5 and len(extra) >= 9 and extra[4] & 1:
            return struct.unpack("<I", extra[5:9])[0]
        extra = extra[4 + length :]
    return None


def _open_folder(top: Path, caps: Caps) -> Download:
    budget = Budget(caps)
    members: list[Member] = []
    refused: list[str] = []
    for path, kind, changed in _walk(top, (), caps):
        written = "/".join(path)
        try:
            parts = tuple(unicodedata.normalize("NFC", sayable(part)) for part in path)
            if any(ODD.search(part) for part in path):
                raise Unacceptable("has control characters in its name")
            if kind != stat.S_IFREG:
                raise Unacceptable("is a link or a device, no file")
        except Unacceptable as error:
            refused += told(written, error)
            continue
        if not is_junk(parts):
            read = _file_reader(top.joinpath(*path), budget)
            members.append(Member(parts, _when(changed), "the file's modification time", read))
        if len(members) > caps.members:
            raise NoDownload(f"`{top}` has more than {caps.members} files.")
    name = top.resolve().name
    return without_doubles(Download(name, members, refused))


def _when(seconds: float) -> datetime | None:
    """A file's time, None for one that no calendar has."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return None


def _walk(top: Path, above: tuple[str, ...], caps: Caps) -> Iterator[tuple[tuple, int, float]]:
    """All that is no folder, by name: path, kind, time. Links are told, and never followed."""
    if len(above) > caps.depth:
        return
    with os.scandir(top.joinpath(*above)) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        info = entry.stat(follow_symlinks=False)
        path = (*above, entry.name)
        if not stat.S_ISDIR(info.st_mode):
            yield path, stat.S_IFMT(info.st_mode), info.st_mtime
        elif not is_junk((entry.name,)):
            yield from _walk(top, path, caps)


def _file_reader(path: Path, budget: Budget) -> Callable[[], bytes]:
    def read() -> bytes:
        flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            with os.fdopen(os.open(path, flags), "rb") as file:
                info = os.fstat(file.fileno())
                if not stat.S_ISREG(info.st_mode):
                    raise Unacceptable("is a link or a device, no file")
                return budget.take(file, info.st_size)
        except OSError as error:
            raise Unacceptable(f"cannot be read ({error.strerror})") from error

    return read


def _line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:120]
