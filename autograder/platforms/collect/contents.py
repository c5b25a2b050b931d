"""Read all files of one submission into memory, once and under limits."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from autograder.engine.limits.bounded import OutOfBounds, run_bounded
from autograder.engine.notebook.file_kind import ZIP, file_kind, is_archive
from autograder.platforms.download import ARCHIVE, NOTEBOOK, Caps, File, FileRefused
from autograder.text.printable import printable

MAX_BYTES = 256 << 20  # of notebooks and archives of one student at a time, and in their zips
MAX_OTHER_BYTES = 32 << 20  # of all else: pictures, texts, data
MAX_FILES = 1_000  # that one student handed in at a time


@dataclass(frozen=True)
class Content:
    """One file of a submission, or one file inside a zip of the submission, with its bytes."""

    file: File  # in the download, without its reader: itself, or the zip around it
    data: bytes
    path_in_zip: str = ""

    @property
    def name(self) -> str:
        """The file name that the student gave the file."""
        return self.path_in_zip.rpartition("/")[2] or self.file.original_name

    @property
    def path(self) -> str:
        """The file's path in the download; for a file inside a zip, the path of the zip followed by
        the path in it.
        """
        return f"{self.file.path}/{self.path_in_zip}" if self.path_in_zip else self.file.path

    @cached_property
    def hash(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    @property
    def is_zip(self) -> bool:
        """Whether the file is opened as a zip: its name ends in `.zip`, or it is a zip although its
        name is a notebook's.
        """
        named = self.name.lower().endswith(".zip")
        return named or (bool(NOTEBOOK.search(self.name)) and self._kind == ZIP)

    @property
    def is_notebook(self) -> bool:
        """Whether the file has a notebook's name and is no zip. It may be damaged."""
        return bool(NOTEBOOK.search(self.name)) and not self.is_zip

    @property
    def other_archive(self) -> str:
        """The kind of archive, such as 7z, if the file is one that cannot be opened; "" for all
        other files.
        """
        known = is_archive(self._kind) and self._kind != ZIP
        if known and (ARCHIVE.search(self.name) or "." not in self.name):
            return self._kind
        named = ARCHIVE.search(self.name) and not self.name.lower().endswith(".zip")
        return f"called an archive (.{self.name.rpartition('.')[2].lower()})" if named else ""

    @property
    def _kind(self) -> str:
        return file_kind(self.data)


def read_contents(files: Iterable[File]) -> tuple[list[Content], list[str]]:
    """Read the files of a submission; return their contents, and half a sentence for each file that
    cannot be read or is over a limit. If reading takes too much time or memory, no contents are
    returned, and half a sentence that says so.

    Notebooks and archives are read first, so that a limit leaves out other files before them. Empty
    folders are skipped.
    """
    there = [file for file in files if not file.is_empty_folder]
    there.sort(key=lambda one: not one.may_hold_notebook)
    wanted = there[:MAX_FILES]
    try:
        contents, troubles = run_bounded(lambda: _read(wanted))
    except OutOfBounds as error:
        return [], [f"what was handed in {error} to be unpacked"]
    if len(there) > MAX_FILES:
        troubles.append(f"what comes after {MAX_FILES:,} of {len(there):,} files is left out")
    return contents, troubles


def _read(files: list[File]) -> tuple[list[Content], list[str]]:
    """Read the files; return their contents, and half a sentence for each file that is not read
    because of a limit or an error.
    """
    contents: list[Content] = []
    troubles = []
    caps = {"notebooks and archives": MAX_BYTES, "other files": MAX_OTHER_BYTES}
    room = dict(caps)
    for file in files:
        name = printable(file.original_name)
        kind = "notebooks and archives" if file.may_hold_notebook else "other files"
        try:
            data = None if room[kind] < file.size <= Caps.file_bytes else file.read()
        except (FileRefused, MemoryError) as error:
            why = error if isinstance(error, FileRefused) else "is more than there is memory for"
            troubles.append(f"`{name}` {why}")
            continue
        if data is None or len(data) > room[kind]:
            most = caps[kind] >> 20
            troubles.append(f"`{name}` is left out: there are more than {most} MiB of {kind}")
            continue
        room[kind] -= len(data)
        contents.append(Content(file.without_reader(), data))
    return contents, troubles
