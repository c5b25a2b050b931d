"""The content of a platform's download (`Download` and `File`), the choice of the files to read in
a zip, a folder or a clone (`Listing`), and the limits on reading them.
"""

import struct
import unicodedata
import zipfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from os.path import commonprefix
from typing import IO, Any

from autograder.engine import Pattern, printable, texts

LONGEST_NAME = 255  # characters
JUNK = {"__MACOSX", "Thumbs.db", "desktop.ini", ".DS_Store", ".ipynb_checkpoints", ".Trash"}
JUNK |= {".git", ".venv", ".idea", ".vscode", ".received"}
MODIFICATION_TIME = "the file's modification time"  # copying a file may change it
ZIP = "the zip"
NOTEBOOK = Pattern(r"(?i)\.ipynb(\.(txt|json|html?))?$")  # browsers add a second suffix
ARCHIVE = Pattern(r"(?i)\.(zip|7z|rar|tar|tgz|gz|bz2|xz|zst)$")
CONTROL_CHARACTERS = Pattern(r"[\x00-\x1f\x7f-\x{9f}]")
LONGEST_ERROR = 120  # characters
UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    ValueError,
    RuntimeError,
    OSError,
)


class FileRefused(Exception):
    """A file is not read. The message continues a sentence that begins with the file's name."""


@dataclass(frozen=True)
class Caps:
    """Limits on the number, depth and size of a download's files."""

    files: int = 20_000  # per folder of a download, which may be a student's
    depth: int = 30  # folders in folders
    file_bytes: int = 256 << 20


@dataclass(frozen=True)
class File:
    """A file in a download."""

    parts: tuple[str, ...]  # folders and name
    changed: datetime | None  # without a zone in most zips
    changed_by: str  # source of the time
    read: Any = None  # function that returns its bytes; raises `FileRefused`
    crc: int | None = None
    size: int = 0  # bytes, according to the download
    student_name: str = ""  # student's own name for it, if the platform changes names
    upload: int | None = None  # increases with each file that a platform receives

    @property
    def name(self) -> str:
        return self.parts[-1]

    def without_reader(self) -> "File":
        """Return a copy without the function that reads the file. It can be serialised."""
        return replace(self, read=None)

    @property
    def path(self) -> str:
        return "/".join(self.parts)

    @property
    def original_name(self) -> str:
        """The student's own name of the file."""
        return self.student_name or self.name

    @property
    def may_hold_notebook(self) -> bool:
        return may_hold_notebook(self.name)

    @property
    def is_empty_folder(self) -> bool:
        """Whether this is the placeholder of an empty folder, which can belong to a student."""
        return not self.name


@dataclass(frozen=True)
class Left:
    """A file of a download without a student: its path, and a sentence with the reason."""

    path: str
    sentence: str
    file: File | None = None  # if it can be read


@dataclass(frozen=True)
class Download:
    """The content of a download: readable files, refused files that could contain a notebook, and
    empty folders.
    """

    name: str
    files: list[File]
    refused: list[Left]
    empty: tuple[tuple[str, ...], ...] = ()  # folders without any file


def reader(
    open_file: Callable[[], AbstractContextManager[IO[bytes]]], size: int, max_bytes: int
) -> Callable[[], bytes]:
    """Return a function that reads a file of a download.

    It raises `FileRefused` if the file is damaged, cannot be opened, or has more than `max_bytes`,
    even if the download claims another `size`.
    """

    def read() -> bytes:
        if size > max_bytes:
            raise FileRefused(f"says that it has {_mib(size)}; {_mib(max_bytes)} are read")
        try:
            with open_file() as file:
                data = file.read(max_bytes + 1)
        except UNREADABLE as error:
            reason = texts.first_line(error, LONGEST_ERROR)
            raise FileRefused(f"is damaged or cannot be read ({reason})") from error
        if len(data) > max_bytes:
            raise FileRefused(f"is longer than {_mib(max_bytes)}")
        return data

    return read


@dataclass
class Listing:
    """The files and folders of a download, while it is listed.

    Only files with a safe path are read, and each path only once. Other files are refused, with a
    sentence if they could be a notebook. Files made by operating systems and editors are skipped.
    """

    caps: Caps
    files: list[File] = field(default_factory=list)
    refused: list[Left] = field(default_factory=list)
    folders: set[tuple[str, ...]] = field(default_factory=set)
    filled: set[tuple[str, ...]] = field(default_factory=set)  # paths of files, refused ones too

    def add(self, path: str, file: File, refusal: str = "", certain: bool = False) -> None:
        """Add a file with its path in the download.

        `refusal`: why it is not read, as the end of a sentence, or "". `certain`: report a refusal
        for any file name.
        """
        parts = _parts(path)
        if is_junk(parts):
            return
        self.filled.add(parts)
        refusal = _fault(path, self.caps) or refusal
        if refusal:
            self._refuse(path, refusal, certain)
        else:
            self.files.append(replace(file, parts=parts))

    def add_folder(self, path: str) -> None:
        parts = _parts(path)
        if not is_junk(parts) and not _fault(path, self.caps):
            self.folders.add(parts)

    def download(self, name: str) -> Download:
        """Return the listed files.

        Paths that occur several times with different contents are refused. So are folders with too
        many files, on the level where the download first divides, usually into students' folders.
        """
        by_path = defaultdict[tuple[str, ...], list[File]](list)
        for file in self.files:
            by_path[file.parts].append(file)
        folders = [path[:-1] for path in by_path]
        level = len(commonprefix(folders)) + 1  # noqa: RUF071 - of tuples of names, not of texts
        counts = Counter(file.parts[:level] for file in self.files)
        files = []
        for path, same in by_path.items():
            if counts[path[:level]] > self.caps.files:
                continue
            if len(same) == 1 or len({file.crc for file in same} - {None}) == 1:
                files.append(same[0])
            else:
                self._refuse("/".join(path), "is there several times, with different contents")
        for path, count in counts.items():
            if count > self.caps.files:
                self._refuse("/".join(path), f"holds more than {self.caps.files:,} files", True)
        above = {path[:depth] for path in self.folders for depth in range(len(path))}
        above |= {path[:depth] for path in self.filled for depth in range(len(path) + 1)}
        return Download(name, files, self.refused, tuple(sorted(self.folders - above)))

    def _refuse(self, path: str, reason: str, certain: bool = False) -> None:
        name = path.split("\0")[0].lower()
        if certain or may_hold_notebook(name) or name.endswith(".yml"):
            sentence = f"`{printable(path)}` was not read: it {reason}."
            self.refused.append(Left(storable(path), sentence))


def storable(path: str) -> str:
    """Return a path as a text that any database accepts."""
    return texts.valid_unicode(path).replace("\0", "\N{REPLACEMENT CHARACTER}")


def _parts(path: str) -> tuple[str, ...]:
    names = (name for name in path.replace("\\", "/").split("/") if name not in ("", "."))
    return tuple(unicodedata.normalize("NFC", texts.valid_unicode(name)) for name in names)


def _fault(path: str, caps: Caps) -> str:
    """Return why a file's path is not safe, as the end of a sentence, or ""."""
    names = _parts(path)
    if CONTROL_CHARACTERS.search(path):
        return "has control characters in its name"
    if ".." in names or not names:
        return "has a path that leads out of the download"
    if len(names) > caps.depth + 1 or max(map(len, names)) > LONGEST_NAME:
        return "has a name that is too long for a file"
    return ""


def is_archive_name(name: str) -> bool:
    """Whether a file with this name can be an archive with a notebook in it."""
    return bool(ARCHIVE.search(name))


def may_hold_notebook(name: str) -> bool:
    """Whether a file with this name can be a notebook, or an archive with a notebook in it."""
    return bool(NOTEBOOK.search(name) or ARCHIVE.search(name))


def empty_folder(parts: tuple[str, ...]) -> File:
    """Return the placeholder for an empty folder: a file with the name "", which cannot be read."""

    def read() -> bytes:
        raise FileRefused("is an empty folder")

    return File((*parts, ""), None, "nobody", read)


def utc_time(seconds: float) -> datetime | None:
    """Convert seconds since 1970 to UTC. Return None outside the calendar's range."""
    with suppress(OverflowError, ValueError, OSError):
        return datetime.fromtimestamp(seconds, UTC)
    return None


def is_junk(parts: tuple[str, ...]) -> bool:
    """Whether a path (its `parts`) contains files or folders that operating systems, editors or
    `collect` create, such as `.DS_Store`.
    """
    return any(part in JUNK or part.startswith("._") for part in parts)


def _mib(size: int) -> str:
    return f"{size / (1 << 20):.0f} MiB" if size >= 1 << 20 else f"{size} bytes"
