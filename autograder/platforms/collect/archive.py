"""Open a download, which is a zip or a folder: list its files with names, times and sizes.

Nothing is extracted. A file is read only when it is needed, if it is a regular file with a safe
name, and up to a limit that does not depend on the size that the download claims.
"""

import contextlib
import io
import os
import stat
import struct
import unicodedata
import weakref
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from autograder.files.reading import Entry, NotRegular, entries, opened, walk
from autograder.platforms import exchange, git
from autograder.platforms.download import (
    CONTROL_CHARACTERS,
    MODIFICATION_TIME,
    Caps,
    Download,
    File,
    FileRefused,
    Left,
    empty_among,
    is_junk,
    read_whole,
    refusal,
    split_name,
    valid_unicode,
    without_crowds,
    without_duplicates,
)
from autograder.text.errors import CommandError
from autograder.text.printable import first_line, printable

ENTRY = b"PK\x01\x02"  # begins each entry of a zip's directory
UTF8, ENCRYPTED = 0x800, 0x1  # flags of a zip's entry
MADE_ON_UNIX = 3
NO_FILE = "is a link or a device, no file; ask for the file itself"
OF_ANOTHER = "belongs to another user of this machine than the one who its folder says"
LONGEST_ERROR = 120  # characters
UNIX_TIMES = 0x5455  # an extra field: seconds since 1970, in UTC
UNREADABLE = (RuntimeError, NotImplementedError, OSError)  # what zipfile raises besides
DEEPEST_OF_A_STUDENT = 2  # folders: `<student>` or `<student>/<assignment>` may be a link
DEEPEST_AROUND = 2  # folders around those of all students
DEEPEST_EMPTY = 4  # folders: an empty one further down is nobody's own
PLAIN_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def open_download(
    path: Path,
    caps: Caps = Caps(),
    platform: str | None = None,
    by: datetime | None = None,
) -> Download:
    """List the files of a download: a zip, or a folder, which may also hold clones of git
    repositories.

    `path`: the zip or folder. `caps`: limits on the number, depth and size of files. `platform`:
    the platform that the user named, if any. `by`: of a git repository, only what was committed up
    to this time counts. Raises `CommandError` if the download does not exist, cannot be opened, or
    is neither a folder nor a sound zip.
    """
    if path.is_dir():
        asked_for = platform == git.PLATFORM
        if git.holds_clones(path, asked_for):
            return git.open_clones(path, caps, by)
        return _open_folder(path, caps)
    if not path.exists():
        raise CommandError(f"There is no download `{path}`.")
    if not path.is_file():
        raise CommandError(f"`{path}` is neither a zip nor a folder.")
    try:
        file = path.open("rb", buffering=0)  # forks share its place, and would not its buffer
    except OSError as error:
        reason = first_line(error, LONGEST_ERROR)
        raise CommandError(f"`{path}` cannot be read ({reason}).") from error
    download = replace(_open_zip(file, path.name, str(path), caps), zip_file=path)
    return without_crowds(download, caps.files)


def open_inner(data: bytes, name: str, caps: Caps = Caps()) -> Download:
    """List the files of a zip inside a submission. `data` is its content, `name` its file name,
    `caps` the limits on its files.

    Raises `CommandError` if it is damaged or has too many members.
    """
    if data.count(ENTRY) > caps.files:
        raise CommandError(f"`{name}` has more than {caps.files} members.")
    return _open_zip(io.BytesIO(data), name, name, caps)


def _open_zip(file: IO[bytes], name: str, called: str, caps: Caps) -> Download:
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, struct.error, ValueError, EOFError, *UNREADABLE) as error:
        file.close()
        raise CommandError(
            f"`{called}` is no zip, or a damaged one ({first_line(error, LONGEST_ERROR)}); download it again."
        ) from error
    weakref.finalize(archive, file.close)  # its members are read later, one by one
    files: list[File] = []
    refused: list[Left] = []
    folders: list[tuple[str, ...]] = []
    unread: list[tuple[str, ...]] = []
    for entry in archive.infolist():
        written = _written(entry)
        try:
            parts = split_name(written, caps)
            if entry.orig_filename.endswith(("/", "\\")):
                folders += [] if is_junk(parts) else [parts]
                continue
            _accept(entry)
        except FileRefused as error:
            refused += refusal(written, error)
            unread.append(tuple(written.replace("\\", "/").split("/")))
            continue
        if not is_junk(parts):
            changed, by = _changed(entry)
            read = _reader(archive, entry, caps.file_bytes)
            files.append(File(parts, changed, by, read, entry.CRC, entry.file_size))
    filled = [file.parts for file in files] + unread
    return without_duplicates(Download(name, files, refused, empty_among(folders, filled)))


def _written(entry: zipfile.ZipInfo) -> str:
    """Return the name of a zip's entry, decoded as UTF-8 if possible, even if the zip does not say
    that it is.
    """
    name = entry.orig_filename
    if not entry.flag_bits & UTF8:
        with contextlib.suppress(
            UnicodeError
        ):  # else it is code page 437, the first encoding of zip files
            name = name.encode("cp437").decode("utf-8")
    return name


def _accept(entry: zipfile.ZipInfo) -> None:
    kind = stat.S_IFMT(entry.external_attr >> 16) if entry.create_system == MADE_ON_UNIX else 0
    if kind not in (0, stat.S_IFREG):
        raise FileRefused(NO_FILE)
    if entry.flag_bits & ENCRYPTED:
        raise FileRefused("is encrypted; ask for it without a password")
    if entry.compress_type not in PLAIN_METHODS:
        raise FileRefused("is packed in a way that is not read; pack it again as an ordinary zip")


def _reader(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, most: int) -> Callable[[], bytes]:
    def read() -> bytes:
        if entry.file_size > most:
            return read_whole(io.BytesIO(), entry.file_size, most)
        try:
            with archive.open(entry) as file:
                return read_whole(file, entry.file_size, most)
        except (zipfile.BadZipFile, zlib.error, EOFError, struct.error) as error:
            raise FileRefused(
                f"is damaged in the zip ({first_line(error, LONGEST_ERROR)})"
            ) from error
        except (ValueError, *UNREADABLE) as error:
            raise FileRefused(
                f"cannot be read from the zip ({first_line(error, LONGEST_ERROR)})"
            ) from error

    return read


def _changed(entry: zipfile.ZipInfo) -> tuple[datetime | None, str]:
    """Return the time at which a zip's entry was changed, and who says so: "the zip". The time is
    in UTC if the entry has a Unix time, else without a zone.

    Return None and "nobody" if the entry has no valid time.
    """
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
    files: list[File] = []
    refused: list[Left] = []
    filled = []
    folders: list[tuple[str, ...]] = []
    for path, entry in _files_below(top, caps, folders):
        written = "/".join(path)
        filled += [] if is_junk(path) else [(*path, "")]
        if entry.kind == "folder":
            why = f"cannot be looked into, or holds more than {caps.files:,} files and folders"
            if len(path) > caps.depth:
                why = f"is more than {caps.depth} folders down"
            refused.append(Left(written, f"`{printable(written)}` was not read: it {why}."))
            continue
        try:
            parts = _as_unicode(path)
            if any(CONTROL_CHARACTERS.search(part) for part in path):
                raise FileRefused("has control characters in its name")
            if entry.kind != "file":
                raise FileRefused(NO_FILE)
            if exchange.is_of_another(parts, entry.owner):
                raise FileRefused(OF_ANOTHER)
        except FileRefused as error:
            a_students = len(path) <= DEEPEST_OF_A_STUDENT
            refused += refusal(written, error, certain=a_students and entry.kind != "file")
            continue
        if not is_junk(parts):
            read = _file_reader(top.joinpath(*path), top, caps.file_bytes)
            when = _when(entry.changed)
            files.append(File(parts, when, MODIFICATION_TIME, read, size=entry.size))
    empty = tuple(map(_as_unicode, empty_among(folders, filled)))
    return without_duplicates(Download(top.resolve().name, files, refused, empty))


def _as_unicode(path: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(unicodedata.normalize("NFC", valid_unicode(part)) for part in path)


def _folders_below(top: Path, folder: Path, depth: int) -> Iterator[tuple[str, ...]]:
    """Yield the readable folders below `folder`, at most `depth` levels down, as paths from `top`.
    Links and folders that the operating system makes are skipped.
    """
    try:
        there = [one.name for one in entries(folder, top) if one.kind == "folder"]
    except OSError:
        return
    for name in there:
        if not is_junk((name,)) and not CONTROL_CHARACTERS.search(name):
            below = folder / name
            yield below.relative_to(top).parts
            if depth > 1:
                yield from _folders_below(top, below, depth - 1)


def _files_below(
    top: Path, caps: Caps, folders: list[tuple[str, ...]]
) -> Iterator[tuple[tuple[str, ...], Entry]]:
    """Yield the path (from `top`) and the entry of each file below `top`, links included; and of
    each folder that is not listed, because it cannot be read, is too deep or holds too many files
    for `caps`.

    Also adds to the list `folders` the paths of the folders on the level of students' folders and a
    few levels below it; the caller finds the empty ones among them.
    """
    for path, one in _students_folders(top):
        if one.kind != "folder" or len(path) > caps.depth:
            yield path, one
            continue
        if is_junk((one.name,)):
            continue
        folder, depth = top.joinpath(*path), caps.depth - len(path)
        try:
            found = list(walk(folder, top, depth, lambda n: is_junk((n,)), False, caps.files))
        except OSError:
            yield path, one
        else:
            folders += [path, *_folders_below(top, folder, DEEPEST_EMPTY - len(path))]
            yield from (((*path, *below), entry) for below, entry in found)


def _students_folders(top: Path) -> Iterator[tuple[tuple[str, ...], Entry]]:
    """Yield the path (from `top`) and the entry of each file and folder on the level of students'
    folders. This is the level directly in `top`; as long as a level has a single folder and this is
    not empty, it is the level below, at most two levels down.

    Files beside such a single folder are yielded, too.
    """
    around: tuple[str, ...] = ()
    there = entries(top, top)
    while len(around) < DEEPEST_AROUND:
        folders = [one.name for one in there if one.kind == "folder" and not is_junk((one.name,))]
        try:
            inside = entries(top.joinpath(*around, *folders), top) if len(folders) == 1 else []
        except OSError:  # reading it says why
            inside = []
        if not inside:
            break
        yield from (((*around, one.name), one) for one in there if one.kind != "folder")
        around, there = (*around, *folders), inside
    yield from (((*around, one.name), one) for one in there)


def _when(seconds: float) -> datetime | None:
    """Convert seconds since 1970 to a time in UTC; None if it is outside the calendar's range."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return None


def _file_reader(path: Path, top: Path, most: int) -> Callable[[], bytes]:
    def read() -> bytes:
        try:
            with opened(path, top) as file:
                return read_whole(file, os.fstat(file.fileno()).st_size, most)
        except NotRegular as error:
            raise FileRefused(NO_FILE) from error
        except OSError as error:
            raise FileRefused(f"cannot be read ({error.strerror})") from error

    return read
