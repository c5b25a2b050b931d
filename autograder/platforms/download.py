"""`Download` and `File`, the content of a platform's download, and the limits on reading it."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import takewhile
from pathlib import Path
from typing import IO, Any

import msgspec

from autograder.text.patterns import Pattern
from autograder.text.printable import printable, valid_unicode

LONGEST_NAME = 255  # characters of a file's or a folder's
JUNK = {"__MACOSX", "Thumbs.db", "desktop.ini", ".DS_Store", ".ipynb_checkpoints", ".Trash"}
JUNK |= {".git", ".venv", ".idea", ".vscode", ".received"}
MODIFICATION_TIME = "the file's modification time"  # which copying a file may change
NOTEBOOK = Pattern(r"(?i)\.ipynb(\.(txt|json|html?))?$")  # browsers add the second
ARCHIVE = Pattern(r"(?i)\.(zip|7z|rar|tar|tgz|gz|bz2|xz|zst)$")
CONTROL_CHARACTERS = Pattern(r"[\x00-\x1f\x7f-\x{9f}]")
UNREAD: Any = msgspec.UNSET  # in place of what reads a file
DRIVE = Pattern(r"[A-Za-z]:")


class FileRefused(Exception):
    """A file is not read. The message says why; it continues a sentence that begins with the file's
    name.
    """


@dataclass(frozen=True)
class Caps:
    """Limits on reading the files of a download: their number, their depth in folders, and their
    size.
    """

    files: int = 20_000  # of one of the folders of a download, which may be one student's
    depth: int = 30  # folders in folders
    file_bytes: int = 256 << 20


@dataclass(frozen=True)
class File:
    """A file in a download, with its path, size and times, a function that reads it, and what the
    platform wrote into its name.
    """

    parts: tuple[str, ...]  # its folders and its name
    changed: datetime | None  # without a zone in most zips
    changed_by: str  # what says when it was changed
    read: Callable[[], bytes] = UNREAD  # raises `FileRefused`
    crc: int | None = None
    size: int = 0  # bytes, as the download says
    student_name: str = ""  # what the student called it, where the platform adds to that
    upload: int | None = None  # counts up with each file that a platform receives
    written: datetime | None = None  # a time in the file's own name
    kept: str = ""  # its name among what was received, once it is there
    sha256: str = ""  # the same

    @property
    def name(self) -> str:
        return self.parts[-1]

    def without_reader(self) -> "File":
        """Return a copy of this record without the function that reads the file, so that it can be
        serialised.
        """
        return replace(self, read=UNREAD)

    @property
    def path(self) -> str:
        return "/".join(self.parts)

    @property
    def original_name(self) -> str:
        """The file name that the student gave the file."""
        return self.student_name or self.name

    @property
    def may_hold_notebook(self) -> bool:
        return may_hold_notebook(self.name)

    @property
    def is_empty_folder(self) -> bool:
        """Whether this record is a placeholder for an empty folder. It exists so that the folder
        can still be matched with a student.
        """
        return not self.name


@dataclass(frozen=True)
class Left:
    """A file of a download that is not placed: its path, and a sentence that says why."""

    path: str
    sentence: str
    file: File | None = None  # where it can be read


@dataclass(frozen=True)
class Download:
    """The content of a download: the files that can be read, the refused files that could have held
    a notebook, and the empty folders.
    """

    name: str
    files: list[File]
    refused: list[Left]
    empty: tuple[tuple[str, ...], ...] = ()  # folders without any file
    zip_file: Path | None = None  # where it is, if it is one


def read_whole(file: IO[bytes], declared: int, most: int) -> bytes:
    """Return the whole content of an open file. `declared` is the size that the download says the
    file has.

    Raises `FileRefused` if the declared or the real size is over `most` bytes.
    """
    if declared > most:
        raise FileRefused(f"says that it has {_mib(declared)}; {_mib(most)} are read")
    data = file.read(most + 1)
    if len(data) > most:
        raise FileRefused(f"is longer than {_mib(most)}")
    return data


def split_name(written: str, caps: Caps) -> tuple[str, ...]:
    """Split the path of a file in a download (`written`) into its parts, as valid Unicode.

    Raises `FileRefused` if the path is absolute, contains `..` or control characters, or is too
    long or too deep for `caps`.
    """
    if CONTROL_CHARACTERS.search(written):
        raise FileRefused("has control characters in its name")
    name = written.replace("\\", "/")
    if name.startswith("/") or DRIVE.match(name):
        raise FileRefused("has an absolute path")
    parts = tuple(part for part in name.split("/") if part not in ("", "."))
    if ".." in parts or not parts:
        raise FileRefused("has a path that leads out of the download")
    if len(parts) > caps.depth or max(map(len, parts)) > LONGEST_NAME:
        raise FileRefused("has a name that is too long for a file")
    return tuple(unicodedata.normalize("NFC", valid_unicode(part)) for part in parts)


def without_crowds(download: Download, most: int) -> Download:
    """Return the download without those folders that hold more than `most` files; each becomes one
    entry in `refused`.

    The folders counted are the ones on the level where the download first divides, usually into one
    folder per student.
    """
    folders = {file.parts[:-1] for file in download.files}
    pairs = zip(min(folders, default=()), max(folders, default=()), strict=False)
    around = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    counts = Counter(file.parts[: around + 1] for file in download.files)
    crowds = [_crowd("/".join(folder), most) for folder, count in counts.items() if count > most]
    kept = [file for file in download.files if counts[file.parts[: around + 1]] <= most]
    return replace(download, files=kept, refused=download.refused + crowds)


def _crowd(path: str, most: int) -> Left:
    return Left(path, f"`{printable(path)}` was not read: it holds more than {most:,} files.")


def without_duplicates(download: Download) -> Download:
    """Return the download with each path once. A path that occurs several times with different
    contents is left out, and added to `refused`.
    """
    times = Counter(file.parts for file in download.files)
    kept: dict[tuple[str, ...], File] = {}
    bad = set()
    for file in download.files:
        other = kept.setdefault(file.parts, file)
        if times[file.parts] > 1 and (other.crc is None or other.crc != file.crc):
            bad.add(file.parts)
    files = [file for parts, file in kept.items() if parts not in bad]
    several = FileRefused("is there several times, with different contents")
    refused = [left for parts in sorted(bad) for left in refusal("/".join(parts), several)]
    return replace(download, files=files, refused=download.refused + refused)


def refusal(written: str, error: FileRefused, certain: bool = False) -> list[Left]:
    """Return a list with one entry on a refused file; [] if its name shows that it would not be
    read anyway.

    `written`: the file's path in the download. `error`: why it is refused. `certain`: add the entry
    whatever the name is, as for a link that may stand for a student's folder.
    """
    name = written.replace("\\", "/").split("\0")[0]
    would_be_read = certain or may_hold_notebook(name) or name.lower().endswith(".yml")
    if not would_be_read or is_junk(tuple(name.split("/"))):
        return []
    return [Left(written, f"`{printable(written)}` was not read: it {error}.")]


def may_hold_notebook(name: str) -> bool:
    """Whether a file with this name can be a notebook, or an archive with a notebook in it."""
    return bool(NOTEBOOK.search(name) or ARCHIVE.search(name))


def empty_folder(parts: tuple[str, ...]) -> File:
    """Return the placeholder record for the empty folder at the path `parts`: a file with the name
    "", whose reading raises `FileRefused`.
    """

    def read() -> bytes:
        raise FileRefused("is an empty folder")

    return File((*parts, ""), None, "nobody", read)


def empty_among(
    folders: Iterable[tuple[str, ...]], filled: Iterable[tuple[str, ...]]
) -> tuple[tuple[str, ...], ...]:
    """Return those of the `folders` that contain none of the other folders and none of the files in
    `filled`.

    All are paths, as tuples of names.
    """
    all_folders = set(folders)
    above = {path[:depth] for path in (*all_folders, *filled) for depth in range(len(path))}
    return tuple(sorted(all_folders - above))


def is_junk(parts: tuple[str, ...]) -> bool:
    """Whether a path contains a file or folder that operating systems, editors or `collect` itself
    create, such as `.DS_Store`. `parts` are the names in the path.
    """
    return any(part in JUNK or part.startswith("._") for part in parts)


def _mib(size: int) -> str:
    return f"{size / (1 << 20):.0f} MiB" if size >= 1 << 20 else f"{size} bytes"
