"""What a download holds: its files, how much of them is read, and what each student handed in."""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import takewhile
from pathlib import Path
from typing import IO

from autograder.errors import CommandError
from autograder.patterns import Pattern
from autograder.people import Person
from autograder.text import printable, valid_unicode

LONGEST_NAME = 255  # characters of a file's or a folder's
JUNK = {"__MACOSX", "Thumbs.db", "desktop.ini", ".DS_Store", ".ipynb_checkpoints", ".Trash"}
JUNK |= {".git", ".venv", ".idea", ".vscode", ".received"}
MODIFICATION_TIME = "the file's modification time"  # which copying a file may change
NOTEBOOK = Pattern(r"(?i)\.ipynb(\.(txt|json|html?))?$")  # browsers add the second
ARCHIVE = Pattern(r"(?i)\.(zip|7z|rar|tar|tgz|gz|bz2|xz|zst)$")
CONTROL_CHARACTERS = Pattern(r"[\x00-\x1f\x7f-\x{9f}]")


DRIVE = Pattern(r"[A-Za-z]:")


class NoDownload(CommandError):
    """There is nothing here that can be read as a download; the message says why."""


class FileRefused(Exception):
    """One file is not read; the message says why, to follow the file's name."""


@dataclass(frozen=True)
class Caps:
    """How much is read at most, and so kept. A notebook may have as much, with its outputs."""

    files: int = 20_000  # of one of the folders of a download, which may be one student's
    depth: int = 30  # folders in folders
    file_bytes: int = 256 << 20


@dataclass(frozen=True)
class File:
    """A file in a download, and what the platform tells of it by its name."""

    parts: tuple[str, ...]  # its folders and its name
    changed: datetime | None  # without a zone in most zips
    changed_by: str  # what says when it was changed
    read: Callable[[], bytes]  # raises `FileRefused`
    crc: int | None = None
    size: int = 0  # bytes, as the download says
    student_name: str = ""  # what the student called it, where the platform adds to that
    upload: int | None = None  # counts up with each file that a platform receives
    written: datetime | None = None  # a time in the file's own name

    @property
    def name(self) -> str:
        return self.parts[-1]

    @property
    def path(self) -> str:
        return "/".join(self.parts)

    @property
    def original_name(self) -> str:
        """What the student called it."""
        return self.student_name or self.name

    @property
    def may_hold_notebook(self) -> bool:
        return may_hold_notebook(self.name)

    @property
    def is_empty_folder(self) -> bool:
        """Whether it only stands for a folder, so that it can be told whose that is."""
        return not self.name


@dataclass(frozen=True)
class Left:
    """What is in a download and has no place: what the download calls it, and a sentence."""

    path: str
    sentence: str
    file: File | None = None  # where it can be read


@dataclass(frozen=True)
class Download:
    """All files that may be read, and each that may not and would have mattered."""

    name: str
    files: list[File]
    refused: list[Left]
    empty: tuple[tuple[str, ...], ...] = ()  # folders without any file
    place: Path | None = None  # where it is


@dataclass(frozen=True)
class HandedIn:
    """What one student, or one team, handed in, as a platform's download has it.

    `person.student` is the id that the platform suggests, "" where it suggests none.
    """

    person: Person
    label: str  # how the download calls it
    files: tuple[File, ...]
    submitted_at: datetime | None = None  # as the platform says it
    time_from: str = ""  # what says so
    late: bool | None = None  # where the platform says that, and no time
    timeless: bool = False  # the files' times are not those of handing in
    times_in_zip: bool = False  # the platform packs files with the times of handing in
    zone: str = ""  # of times without one, as whoever collected said
    file_times: bool = False  # so did they: the files' own times are those of handing in
    team: str = ""  # of whom the download does not name everybody
    download: str = ""  # the name of the download that it is from
    chosen: str = ""  # the path of the notebook that somebody chose among these files
    assignment: str = ""  # where somebody chose to place it, if not where it was handed in


@dataclass(frozen=True)
class Contents:
    """All that was handed in, by student, and each file that is of no student."""

    handed_in: list[HandedIn]
    without_student: list[Left] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # sentences on what is left aside


@dataclass(frozen=True)
class Item:
    """A file, or a folder with all that is in it, at one level of a download."""

    name: str
    files: list[File]
    level: int  # how many folders are around it
    said: Mapping[str, str] = field(default_factory=dict)  # by the platform in the name

    @property
    def is_folder(self) -> bool:
        return any(len(file.parts) > self.level + 1 for file in self.files)

    @property
    def below(self) -> list["Item"]:
        """What is in the folder."""
        return items_at(self.files, self.level + 1)


@dataclass(frozen=True)
class Platform:
    """What one platform writes in a download, and how that is sorted by student.

    It writes names at one level: what is below them is a student's, and says nothing of persons.
    """

    name: str
    names: Pattern  # that it writes; groups are what it says by them
    # what it wrote, for an assignment, with the numbers of people who are known; may raise `NoDownload`
    sort_by_student: Callable[[list[Item], str, Collection[str]], Contents]
    # of items, the name of the folder around them, and the assignment; by default, if it reads any
    is_of: Callable[[list[Item], str, str], bool] | None = None
    folders: bool = True  # it writes names of folders
    files: bool = False  # it writes names of files
    times_in_zip: bool = False  # its zips have the times of handing in

    def read(self, items: list[Item]) -> list[Item]:
        """Return those items whose names it writes, with what they say."""
        own = [one for one in items if (self.folders if one.is_folder else self.files)]
        found = ((one, self.names.fullmatch(one.name)) for one in own)
        return [replace(one, said=names.groupdict("")) for one, names in found if names]


def read_whole(file: IO[bytes], declared: int, most: int) -> bytes:
    """Read a file to its end. Raises `FileRefused` if it says, or is, more than is allowed."""
    if declared > most:
        raise FileRefused(f"says that it has {_mib(declared)}; {_mib(most)} are read")
    data = file.read(most + 1)
    if len(data) > most:
        raise FileRefused(f"is longer than {_mib(most)}")
    return data


def split_name(written: str, caps: Caps) -> tuple[str, ...]:
    """Split a name. Raises `FileRefused` for names that lead elsewhere, or that nobody can type."""
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
    """Leave out each folder that holds more than so many files: it is that student's trouble alone.

    They are looked for where the download has several folders, or files beside one.
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
    """Leave out what is there twice under one name and differs: nobody can say which is meant."""
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
    """Return what is said of a file that is not read; nothing if the file would not have been read in any case.

    It is `certain` that a link is said which may stand for a student's folder.
    """
    name = written.replace("\\", "/").split("\0")[0]
    would_be_read = certain or may_hold_notebook(name) or name.lower().endswith(".yml")
    if not would_be_read or is_junk(tuple(name.split("/"))):
        return []
    return [Left(written, f"`{printable(written)}` was not read: it {error}.")]


def items_at(files: Iterable[File], level: int) -> list[Item]:
    """Return what is at a level, by name; a file further up is no part of it."""
    by_name: dict[str, list[File]] = defaultdict(list)
    for file in files:
        if file.parts[level:] not in ((), ("",)):
            by_name[file.parts[level]].append(file)
    return [Item(name, found, level) for name, found in by_name.items()]


def without_student(files: Iterable[File]) -> list[Left]:
    """Return those of these files that can be, or hold, a notebook."""
    return [
        Left(file.path, f"`{printable(file.path)}` is nobody's: its name says no student.", file)
        for file in files
        if file.may_hold_notebook
    ]


def may_hold_notebook(name: str) -> bool:
    """Whether a file of this name can be a notebook, or an archive with one."""
    return bool(NOTEBOOK.search(name) or ARCHIVE.search(name))


def empty_folder(parts: tuple[str, ...]) -> File:
    """Return what stands for a folder in which there is nothing: a file without a name."""

    def read() -> bytes:
        raise FileRefused("is an empty folder")

    return File((*parts, ""), None, "nobody", read)


def empty_among(
    folders: Iterable[tuple[str, ...]], filled: Iterable[tuple[str, ...]]
) -> tuple[tuple[str, ...], ...]:
    """Return those folders in which there is no other folder, nor any of the files `filled`."""
    all_folders = set(folders)
    above = {path[:depth] for path in (*all_folders, *filled) for depth in range(len(path))}
    return tuple(sorted(all_folders - above))


def is_junk(parts: tuple[str, ...]) -> bool:
    """Whether it is what systems and editors leave beside files, or was received here before."""
    return any(part in JUNK or part.startswith("._") for part in parts)


def _mib(size: int) -> str:
    return f"{size / (1 << 20):.0f} MiB" if size >= 1 << 20 else f"{size} bytes"
