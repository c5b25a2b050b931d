"""Open a download, which is a zip or a folder: list its files with names, times and sizes.

Nothing is extracted. A file is read only when it is needed, if it is a regular file with a safe
name, and only up to a limit, even if the download claims another size.
"""

import contextlib
import io
import stat
import struct
import weakref
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO

from autograder.engine import AutograderError, Pattern, files, texts
from autograder.platforms import exchange, git
from autograder.platforms.download import (
    LONGEST_ERROR,
    MODIFICATION_TIME,
    UNREADABLE,
    ZIP,
    Caps,
    Download,
    File,
    Listing,
    is_junk,
    reader,
    utc_time,
)

ENTRY = b"PK\x01\x02"  # start of each entry of a zip's directory
UTF8, ENCRYPTED = 0x800, 0x1  # flags of a zip's entry
MADE_ON_UNIX = 3
ABSOLUTE = Pattern(r"[/\\]|[A-Za-z]:")
NO_FILE = "is a link or a device, not a file; ask for the file itself"
OF_ANOTHER = "belongs to another user of this machine than the folder's name says"
UNIX_TIMES = 0x5455  # an extra field: seconds since 1970, in UTC
DEEPEST_OF_A_STUDENT = 2  # folders: `<student>` or `<student>/<assignment>` may be a link
DEEPEST_AROUND = 2  # folders around those of all students
DEEPEST_EMPTY = 4  # folders; deeper empty folders are ignored
PLAIN_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def open_download(
    path: Path,
    caps: Caps = Caps(),
    platform: str | None = None,
    by: datetime | None = None,
) -> Download:
    """List the files of a download: a zip, or a folder, which may also contain clones of git
    repositories.

    `path`: the zip or folder. `caps`: limits on the number, depth and size of files. `platform`:
    name of the platform, if known. `by`: ignore later commits of git repositories. Raises
    `AutograderError` if the download does not exist, cannot be opened, or is neither a folder nor
    an undamaged zip.
    """
    if path.is_dir():
        if platform == git.PLATFORM or git.holds_clones(path):
            return git.open_clones(path, caps, by)
        return _open_folder(path, caps)
    if not path.exists():
        raise AutograderError(f"There is no download `{path}`.")
    if not path.is_file():
        raise AutograderError(f"`{path}` is neither a zip nor a folder.")
    try:
        file = path.open("rb", buffering=0)  # forks share the file position, but not a buffer
    except OSError as error:
        raise AutograderError(
            f"`{path}` cannot be read ({texts.first_line(error, LONGEST_ERROR)})."
        ) from error
    return _open_zip(file, path.name, str(path), caps)


def open_inner(data: bytes, name: str, caps: Caps = Caps()) -> Download:
    """List the files of a zip inside a submission. `data`: its content. `name`: its file name.
    `caps`: limits on its files.

    Raises `AutograderError` if it is damaged or has too many members.
    """
    if data.count(ENTRY) > caps.files:
        raise AutograderError(f"`{name}` has more than {caps.files} members.")
    return _open_zip(io.BytesIO(data), name, name, caps)


def _open_zip(file: IO[bytes], name: str, label: str, caps: Caps) -> Download:
    try:
        archive = zipfile.ZipFile(file)
    except UNREADABLE as error:
        file.close()
        raise AutograderError(
            f"`{label}` is not a zip, or is damaged ({texts.first_line(error, LONGEST_ERROR)}); download it again."
        ) from error
    weakref.finalize(archive, file.close)  # its members are read later, one by one
    listing = Listing(caps)
    for entry in archive.infolist():
        member_name = _written(entry)
        read = reader(partial(archive.open, entry), entry.file_size, caps.file_bytes)
        member = File((), _changed(entry), ZIP, read, entry.CRC, entry.file_size)
        if member_name.endswith(("/", "\\")):
            listing.add_folder(member_name)
        else:
            listing.add(member_name, member, _fault(entry))
    return listing.download(name)


def _written(entry: zipfile.ZipInfo) -> str:
    """Return the name of a zip's entry, decoded as UTF-8 if possible."""
    name = entry.orig_filename
    # otherwise it is code page 437, the original encoding of zips
    with contextlib.suppress(UnicodeError):
        return name if entry.flag_bits & UTF8 else name.encode("cp437").decode("utf-8")
    return name


def _fault(entry: zipfile.ZipInfo) -> str:
    """Return why an entry of a zip is not read, as the end of a sentence, or ""."""
    kind = stat.S_IFMT(entry.external_attr >> 16) if entry.create_system == MADE_ON_UNIX else 0
    if ABSOLUTE.match(entry.orig_filename):
        return "has an absolute path"
    if kind not in (0, stat.S_IFREG):
        return NO_FILE
    if entry.flag_bits & ENCRYPTED:
        return "is encrypted; ask for it without a password"
    if entry.compress_type not in PLAIN_METHODS:
        return "is packed in a way that is not read; pack it again as an ordinary zip"
    return ""


def _changed(entry: zipfile.ZipInfo) -> datetime | None:
    """Return an entry's time: in UTC if it is a Unix time, otherwise without a zone."""
    if seconds := _unix_time(entry.extra):
        return datetime.fromtimestamp(seconds, UTC)
    with contextlib.suppress(ValueError):
        # zips without a time have the first day of their calendar, in 1980
        return datetime(*entry.date_time) if entry.date_time[0] > 1980 else None
    return None


def _unix_time(extra: bytes) -> int | None:
    while len(extra) >= 4:
        kind, length = struct.unpack("<HH", extra[:4])
        if kind == UNIX_TIMES and length >= 5 and len(extra) >= 9 and extra[4] & 1:
            return struct.unpack("<I", extra[5:9])[0]
        extra = extra[4 + length :]
    return None


def _open_folder(top: Path, caps: Caps) -> Download:
    listing = Listing(caps)
    for path, entry in _files_below(top, listing):
        read = reader(partial(files.opened, top.joinpath(*path), top), entry.size, caps.file_bytes)
        file = File((), utc_time(entry.changed), MODIFICATION_TIME, read, size=entry.size)
        certain, refusal = entry.kind == "folder", ""
        if exchange.is_of_another((*path, ""), entry.owner):
            certain, refusal = True, OF_ANOTHER
        elif entry.kind == "folder" and len(path) > caps.depth:
            refusal = f"is more than {caps.depth} folders down"
        elif entry.kind == "folder":
            refusal = f"cannot be looked into, or holds more than {caps.files:,} files and folders"
        elif entry.kind == "other":
            certain, refusal = len(path) <= DEEPEST_OF_A_STUDENT, NO_FILE
        listing.add("/".join(path), file, refusal, certain)
    return listing.download(top.resolve().name)


def _files_below(top: Path, listing: Listing) -> Iterator[tuple[tuple[str, ...], files.Entry]]:
    """Yield the path (from `top`) and the entry of each file below `top`, links included, and of
    each folder that cannot be listed, because it is unreadable, too deep or too large.

    Students' folders, and those a few levels below, are added to the listing. In this way it knows
    the empty folders.
    """
    caps = listing.caps
    for path, entry in _students_folders(top):
        below: list[tuple[tuple[str, ...], files.Entry]] = [((), entry)]  # only the entry itself
        is_theirs = not exchange.is_of_another((*path, ""), entry.owner)
        if entry.kind == "folder" and len(path) <= caps.depth and is_theirs:
            folder, depth = top.joinpath(*path), caps.depth - len(path)
            with contextlib.suppress(OSError):
                below = list(
                    files.walk(folder, top, depth, lambda n: is_junk((n,)), False, caps.files)
                )
                _add_folders(top, path, listing)
        yield from (((*path, *inner), inner_entry) for inner, inner_entry in below)


def _add_folders(top: Path, path: tuple[str, ...], listing: Listing) -> None:
    listing.add_folder("/".join(path))
    if len(path) < DEEPEST_EMPTY:
        with contextlib.suppress(OSError):
            for entry in files.entries(top.joinpath(*path), top):
                if entry.kind == "folder" and not is_junk((entry.name,)):
                    _add_folders(top, (*path, entry.name), listing)


def _students_folders(top: Path) -> Iterator[tuple[tuple[str, ...], files.Entry]]:
    """Yield the path (from `top`) and the entry of each file and folder on the level of students'
    folders. As long as a level has a single nonempty folder, this is the next level, at most two
    levels down. Files beside that folder are yielded, too.
    """
    path: tuple[str, ...] = ()
    entries = files.entries(top, top)
    while len(path) < DEEPEST_AROUND:
        folders = [
            entry.name for entry in entries if entry.kind == "folder" and not is_junk((entry.name,))
        ]
        inner_entries = []
        with contextlib.suppress(OSError):  # reading the folder later reports the error
            inner_entries = (
                files.entries(top.joinpath(*path, *folders), top) if len(folders) == 1 else []
            )
        if not inner_entries:
            break
        yield from (((*path, entry.name), entry) for entry in entries if entry.kind != "folder")
        path, entries = (*path, *folders), inner_entries
    yield from (((*path, entry.name), entry) for entry in entries)
