"""Read all files of a submission into memory, once and under limits."""

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from autograder.engine import limits, notebooks, printable
from autograder.platforms.download import ARCHIVE, NOTEBOOK, Caps, File, FileRefused

MAX_BYTES = 256 << 20  # of a submission's notebooks and archives, and of files in its zips
MAX_OTHER_BYTES = 32 << 20  # of a submission's other files: pictures, texts, data
MAX_FILES = 1_000  # of a submission
NOTEBOOKS, OTHERS = "notebooks and archives", "other files"
NOTEBOOK_FILE = "a notebook"


@dataclass(frozen=True)
class Content:
    """A file of a submission, or a file inside a zip of the submission, with its bytes."""

    file: File  # in the download, without its reader: this file, or the zip around it
    data: bytes
    path_in_zip: str = ""

    @property
    def name(self) -> str:
        """The student's own name of the file."""
        return self.path_in_zip.rpartition("/")[2] or self.file.original_name

    @property
    def path(self) -> str:
        """The path in the download. In a zip, it is the zip's path followed by the path inside."""
        return f"{self.file.path}/{self.path_in_zip}" if self.path_in_zip else self.file.path

    @cached_property
    def hash(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    @property
    def kind(self) -> str:
        """NOTEBOOK_FILE (maybe damaged), ZIP, a description of another kind of archive, or "" for
        all other files. A zip with a notebook's name is a zip.
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
    """Read the files of a submission. Return their contents, and half a sentence for each file that
    cannot be read or is over a limit. If reading takes too much time or memory, return no contents,
    and half a sentence on it.

    Notebooks and archives are read first, so that limits exclude other files before them. Empty
    folders are skipped.
    """
    filled = (file for file in files if not file.is_empty_folder)
    ordered = sorted(filled, key=lambda file: not file.may_hold_notebook)
    accepted = ordered[:MAX_FILES]
    try:
        contents, troubles = limits.run_bounded(lambda: read_within(Counter(), accepted))
    except limits.OutOfBounds as error:
        return [], [f"what was submitted {error} to be unpacked"]
    if len(ordered) > MAX_FILES:
        troubles.append(f"what comes after {MAX_FILES:,} of {len(ordered):,} files is left out")
    return contents, troubles


def read_within(bytes_read: Counter[str], files: Iterable[File]) -> tuple[list[Content], list[str]]:
    """Read the files. Return their contents, and half a sentence for each file that is over a limit
    or cannot be read.

    `bytes_read`: bytes of the same submission that were read before, by kind of file. It is
    updated.
    """
    contents, troubles = [], []
    for file in files:
        kind, limit = (
            (NOTEBOOKS, MAX_BYTES) if file.may_hold_notebook else (OTHERS, MAX_OTHER_BYTES)
        )
        over_limit = FileRefused(f"is left out: there are more than {limit >> 20} MiB of {kind}")
        room = limit - bytes_read[kind]
        try:
            if room < file.size <= Caps.file_bytes:  # reading reports larger files
                raise over_limit
            data = file.read()
            if len(data) > room:
                raise over_limit
        except FileRefused as error:
            troubles.append(f"`{printable(file.original_name)}` {error}")
        except MemoryError:
            name = printable(file.original_name)
            troubles.append(f"`{name}` is more than there is memory for")
        else:
            bytes_read[kind] += len(data)
            contents.append(Content(file.without_reader(), data))
    return contents, troubles
