"""Read a download, zip or folder, as one kind of thing: members with names, times and bytes.

Nothing is extracted. A member is read when somebody asks for it, up to a size that is never trusted
to the download, and only if it is an ordinary file with an ordinary name.
"""

import contextlib
import io
import os
import re
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

ENTRY = b"PK\x01\x02"  # begins each entry of a zip's directory
UTF8, ENCRYPTED = 0x800, 0x1  # flags of a zip's entry
MADE_ON_UNIX = 3
UNIX_TIMES = 0x5455  # an extra field: seconds since 1970, in UTC
UNREADABLE = (RuntimeError, NotImplementedError, OSError)  # places before a file's start, and such
PLAIN_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
LONGEST_NAME = 255  # characters of a file's or a folder's
JUNK = {"__MACOSX", "Thumbs.db", "desktop.ini", ".DS_Store", ".ipynb_checkpoints", ".Trash"}
JUNK |= {".git", ".venv", ".idea", ".vscode", ".received"}
ODD = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class NoDownload(Exception):
    """There is nothing here that can be read as a download; the message says why."""


class Unacceptable(Exception):
    """One member is not read; the message says why, to follow the member's name."""


@dataclass(frozen=True)
class Caps:
    """How much is read at most. A notebook may have 32 MiB to be graded; more is read to be kept."""

    members: int = 200_000
    depth: int = 30
    member: int = 64 << 20
    total: int = 8 << 30  # bytes of one download that are really read


@dataclass(frozen=True)
class Member:
    """A file in a download: where it is, and when it was changed (without a zone in most zips)."""

    parts: tuple[str, ...]
    changed: datetime | None
    changed_by: str  # who says so
    read: Callable[[], bytes]  # raises `Unacceptable`
    crc: int | None = None

    @property
    def name(self) -> str:
        return self.parts[-1]

    @property
    def path(self) -> str:
        return "/".join(self.parts)

    def has(self, suffix: str) -> bool:
        return self.name.lower().endswith(suffix)


@dataclass(frozen=True)
class Download:
    """All members that may be read, and a sentence for each that may not and would have mattered."""

    name: str
    members: list[Member]
    refused: list[str]


class Budget:
    """What may still be read of a download, everything in it together."""

    def __init__(self, caps: Caps):
        self.caps = caps
        self.left = caps.total

    def take(self, file: IO[bytes], declared: int) -> bytes:
        """Read a file to its end. Raises `Unacceptable` if it says, or is, more than is allowed."""
        if declared > self.caps.member:
            raise Unacceptable(
                f"says that it has {_mib(declared)}; {_mib(self.caps.member)} are read"
            )
        data = file.read(min(self.caps.member, self.left) + 1)
        if len(data) > self.caps.member:
            raise Unacceptable(f"is longer than {_mib(self.caps.member)}")
        self.left -= len(data)
        if self.left < 0:
            raise Unacceptable(
                f"is left out: more than {_mib(self.caps.total)} of this download were read before it"
            )
        return data


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
            parts = _parts(written, budget.caps)
            _accept(entry)
        except Unacceptable as error:
            refused += _told(written, error)
            continue
        if not _junk(parts):
            changed, by = _changed(entry)
            read = _reader(archive, entry, budget)
            members.append(Member(parts, changed, by, read, entry.CRC))
    return _without_doubles(Download(name, members, refused))


def _written(entry: zipfile.ZipInfo) -> str:
    """The name as it was meant: UTF-8 wherever it can be, whether or not the zip says so."""
    name = entry.orig_filename
    if not entry.flag_bits & UTF8:
        with contextlib.suppress(UnicodeError):  # else in the alphabet of a zip's first days
            name = name.encode("cp437").decode("utf-8")
    return name


def _parts(written: str, caps: Caps) -> tuple[str, ...]:
    """Split a name. Raises `Unacceptable` for names that lead elsewhere, or that nobody can type."""
    if ODD.search(written):
        raise Unacceptable("has control characters in its name")
    name = written.replace("\\", "/")
    if name.startswith("/") or re.match(r"[A-Za-z]:", name):
        raise Unacceptable("has an absolute path")
    parts = tuple(part for part in name.split("/") if part not in ("", "."))
    if ".." in parts or not parts:
        raise Unacceptable("has a path that leads out of the download")
    if len(parts) > caps.depth or max(map(len, parts)) > LONGEST_NAME:
        raise Unacceptable("has a name that is too long for a file")
    return tuple(unicodedata.normalize("NFC", _sayable(part)) for part in parts)


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


def _without_doubles(download: Download) -> Download:
    """Leave out what is there twice under one name and differs: nobody can say which is meant."""
    times = Counter(member.parts for member in download.members)
    kept: dict[tuple[str, ...], Member] = {}
    bad = set()
    for member in download.members:
        other = kept.setdefault(member.parts, member)
        if times[member.parts] > 1 and (other.crc is None or other.crc != member.crc):
            bad.add(member.parts)
    members = [member for parts, member in kept.items() if parts not in bad]
    several = Unacceptable("is there several times, with different contents")
    told = [sentence for parts in sorted(bad) for sentence in _told("/".join(parts), several)]
    return Download(download.name, members, download.refused + told)


def _open_folder(top: Path, caps: Caps) -> Download:
    budget = Budget(caps)
    members: list[Member] = []
    refused: list[str] = []
    for path, kind, changed in _walk(top, (), caps):
        written = "/".join(path)
        try:
            parts = tuple(unicodedata.normalize("NFC", _sayable(part)) for part in path)
            if any(ODD.search(part) for part in path):
                raise Unacceptable("has control characters in its name")
            if kind != stat.S_IFREG:
                raise Unacceptable("is a link or a device, no file")
        except Unacceptable as error:
            refused += _told(written, error)
            continue
        if not _junk(parts):
            when = datetime.fromtimestamp(changed, UTC)
            read = _file_reader(top.joinpath(*path), budget)
            members.append(Member(parts, when, "the file's modification time", read))
        if len(members) > caps.members:
            raise NoDownload(f"`{top}` has more than {caps.members} files.")
    name = top.resolve().name
    return _without_doubles(Download(name, members, refused))


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
        elif not _junk((entry.name,)):
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


def _told(written: str, error: Unacceptable) -> list[str]:
    """One sentence, unless nobody would have read the member anyway."""
    name = written.replace("\\", "/").split("\0")[0]
    if not name.lower().endswith((".ipynb", ".zip", ".yml")) or _junk(tuple(name.split("/"))):
        return []
    return [f"`{shown(written)}` {error}: it was not read."]


def shown(name: str) -> str:
    """A name as it can be printed on one line, cut where it is very long."""
    plain = ODD.sub(lambda odd: f"\\x{ord(odd[0]):02x}", _sayable(name))
    plain = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in plain)
    return plain if len(plain) <= 160 else plain[:100] + " … " + plain[-50:]


def _sayable(name: str) -> str:
    """The name without what is no character: bytes that are no UTF-8 are spelt out."""
    try:
        return os.fsencode(name).decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:
        return name.encode("utf-8", "backslashreplace").decode("utf-8")


def _junk(parts: tuple[str, ...]) -> bool:
    """What systems and editors leave beside files, and what was received here before."""
    return any(part in JUNK or part.startswith("._") for part in parts)


def _line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:120]


def _mib(size: int) -> str:
    return f"{size / (1 << 20):.0f} MiB" if size >= 1 << 20 else f"{size} bytes"
