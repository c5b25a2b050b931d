"""A file in a download: what it is called, when it was changed, and how much of it is read."""

import os
import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import IO

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


def split_name(written: str, caps: Caps) -> tuple[str, ...]:
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
    return tuple(unicodedata.normalize("NFC", sayable(part)) for part in parts)


def without_doubles(download: Download) -> Download:
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
    sentences = [words for parts in sorted(bad) for words in told("/".join(parts), several)]
    return Download(download.name, members, download.refused + sentences)


def told(written: str, error: Unacceptable) -> list[str]:
    """One sentence, unless nobody would have read the member anyway."""
    name = written.replace("\\", "/").split("\0")[0]
    if not name.lower().endswith((".ipynb", ".zip", ".yml")) or is_junk(tuple(name.split("/"))):
        return []
    return [f"`{shown(written)}` {error}: it was not read."]


def shown(name: str) -> str:
    """A name as it can be printed on one line, cut where it is very long."""
    plain = ODD.sub(lambda odd: f"\\x{ord(odd[0]):02x}", sayable(name))
    plain = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in plain)
    return plain if len(plain) <= 160 else plain[:100] + " … " + plain[-50:]


def sayable(name: str) -> str:
    """The name without what is no character: bytes that are no UTF-8 are spelt out."""
    try:
        return os.fsencode(name).decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:
        return name.encode("utf-8", "backslashreplace").decode("utf-8")


def is_junk(parts: tuple[str, ...]) -> bool:
    """What systems and editors leave beside files, and what was received here before."""
    return any(part in JUNK or part.startswith("._") for part in parts)


def _mib(size: int) -> str:
    return f"{size / (1 << 20):.0f} MiB" if size >= 1 << 20 else f"{size} bytes"
