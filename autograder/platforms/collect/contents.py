"""Read all files of one submission into memory, once and under limits."""

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from autograder.engine import limits, notebooks, printable
from autograder.platforms.download import ARCHIVE, NOTEBOOK, Caps, File, FileRefused

MAX_BYTES = 256 << 20  # of notebooks and archives of one student at a time, and in their zips
MAX_OTHER_BYTES = 32 << 20  # of all else: pictures, texts, data
MAX_FILES = 1_000  # that one student submitted at a time
NOTEBOOKS, OTHERS = "notebooks and archives", "other files"
NOTEBOOK_FILE = "a notebook"


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
    def kind(self) -> str:
        """NOTEBOOK_FILE, which may be damaged, ZIP, another kind of archive in words, or "" for all
        other files. A zip with a notebook's name is a zip.
        """
        content, ending = notebooks.file_kind(self.data), self.name.lower().rpartition(".")[2]
        is_named_archive = ARCHIVE.search(self.name) or "." not in self.name
        if ending == "zip":
            return notebooks.ZIP
        if NOTEBOOK.search(self.name):
            return notebooks.ZIP if content == notebooks.ZIP else NOTEBOOK_FILE
        if notebooks.is_archive(content) and content != notebooks.ZIP and is_named_archive:
            return content
        return f"called an archive (.{ending})" if ARCHIVE.search(self.name) else ""


def read_contents(files: Iterable[File]) -> tuple[list[Content], list[str]]:
    """Read the files of a submission; return their contents, and half a sentence for each file that
    cannot be read or is over a limit. If reading takes too much time or memory, no contents are
    returned, and half a sentence that says so.

    Notebooks and archives are read first, so that a limit leaves out other files before them. Empty
    folders are skipped.
    """
    filled = (file for file in files if not file.is_empty_folder)
    there = sorted(filled, key=lambda file: not file.may_hold_notebook)
    wanted = there[:MAX_FILES]
    try:
        contents, troubles = limits.run_bounded(lambda: read_within(Counter(), wanted))
    except limits.OutOfBounds as error:
        return [], [f"what was submitted {error} to be unpacked"]
    if len(there) > MAX_FILES:
        troubles.append(f"what comes after {MAX_FILES:,} of {len(there):,} files is left out")
    return contents, troubles


def read_within(used: Counter[str], files: Iterable[File]) -> tuple[list[Content], list[str]]:
    """Read the files; return their contents, and half a sentence for each file that is not read
    because of a limit or an error.

    `used`: bytes read before of the same submission, by kind of file. The bytes that are read are
    added.
    """
    contents, troubles = [], []
    for file in files:
        kind, most = (NOTEBOOKS, MAX_BYTES) if file.may_hold_notebook else (OTHERS, MAX_OTHER_BYTES)
        full = FileRefused(f"is left out: there are more than {most >> 20} MiB of {kind}")
        room = most - used[kind]
        try:
            if room < file.size <= Caps.file_bytes:  # over that, reading says so
                raise full
            data = file.read()
            if len(data) > room:
                raise full
        except FileRefused as error:
            troubles.append(f"`{printable(file.original_name)}` {error}")
        except MemoryError:
            name = printable(file.original_name)
            troubles.append(f"`{name}` is more than there is memory for")
        else:
            used[kind] += len(data)
            contents.append(Content(file.without_reader(), data))
    return contents, troubles
