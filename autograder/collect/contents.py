"""The files that somebody handed in, read once: to be chosen from, and to be kept."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from autograder.engine.file_kind import ZIP, file_kind, is_archive
from autograder.platforms.download import ARCHIVE, NOTEBOOK, File, FileRefused
from autograder.text import printable

MAX_BYTES = 256 << 20  # of all that one student handed in at a time, and of what is in their zips


@dataclass(frozen=True)
class Content:
    """A file that was handed in, and its bytes."""

    file: File
    data: bytes

    @property
    def name(self) -> str:
        """What the student called it."""
        return self.file.original_name

    @cached_property
    def hash(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    @property
    def is_zip(self) -> bool:
        """Whether it is opened as a zip: by its name, or because that hides it."""
        named = self.name.lower().endswith(".zip")
        return named or (bool(NOTEBOOK.search(self.name)) and self._kind == ZIP)

    @property
    def is_notebook(self) -> bool:
        """Whether it is taken for a notebook, be it a damaged one."""
        return bool(NOTEBOOK.search(self.name)) and not self.is_zip

    @property
    def other_archive(self) -> str:
        """What kind of an archive it is, if it is one that is not opened; else ""."""
        known = is_archive(self._kind) and self._kind != ZIP
        if known and (ARCHIVE.search(self.name) or "." not in self.name):
            return self._kind
        named = ARCHIVE.search(self.name) and not self.name.lower().endswith(".zip")
        return f"called an archive (.{self.name.rpartition('.')[2].lower()})" if named else ""

    @property
    def _kind(self) -> str:
        return file_kind(self.data)


def read_contents(files: Iterable[File]) -> tuple[list[Content], list[str]]:
    """Return what can be read of these files, and half a sentence for each that cannot.

    Notebooks and archives come first: of what is too much, they are the last to be left out.
    """
    contents: list[Content] = []
    troubles = []
    left = MAX_BYTES
    for file in sorted(files, key=lambda one: not one.may_hold_notebook):
        if file.is_empty_folder:
            continue
        try:
            data = file.read()
        except (FileRefused, MemoryError) as error:
            why = error if isinstance(error, FileRefused) else "is more than there is memory for"
            troubles.append(f"`{printable(file.original_name)}` {why}")
            continue
        if len(data) > left:
            name = printable(file.original_name)
            troubles.append(
                f"`{name}` is left out: there are more than {MAX_BYTES >> 20} MiB of files"
            )
            continue
        left -= len(data)
        contents.append(Content(file, data))
    return contents, troubles
