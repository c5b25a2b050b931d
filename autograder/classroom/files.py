"""The cache of files that were read, with the submission in each, so that only changed files are
read again.

    results/<assignment>/.files     made again if it is missing or damaged

Nothing else depends on it. A file is unchanged if the operating system says so (`state_of`), or if
its bytes are the same.
"""

import contextlib
import hashlib
from pathlib import Path

import msgspec
from msgspec import Struct

from autograder.engine.notebook.reader import notebook_bytes
from autograder.files.reading import read_named, state_of
from autograder.files.writing import replacing_bytes

NAME = ".files"
MAX_BYTES = 256 << 20
BATCH = 500  # files that are noted before they are written


class FileRecord(Struct, frozen=True, array_like=True, gc=False):
    """A student's file as it was when it was last read, and the hash of the submission in it."""

    state: str  # what the system said of it before
    digest: str  # of its bytes
    submission: str  # its hash


ENCODER, DECODER = msgspec.json.Encoder(), msgspec.json.Decoder(dict[str, FileRecord])


class NotebookFile:
    """A student's notebook file as it is now. It is read only if it may have changed since it was
    cached.
    """

    def __init__(self, path: Path, top: Path, seen: FileRecord | None):
        """`top`: the folder below which no link is followed; `seen`: the file's record in the
        cache, None if it is not cached.

        Raises `Unreadable` if the file cannot be read.
        """
        self.path = path
        self.top = top
        self.state = state_of(path, top)
        self.data: bytes | None = None
        self.submission = ""  # the hash of what it holds, "" where that is not known
        if seen and self.state and seen.state == self.state:
            self.digest, self.submission = seen.digest, seen.submission
            return
        self.digest = hashlib.sha256(self.read()).hexdigest()
        if seen and seen.digest == self.digest:
            self.submission = seen.submission

    def read(self) -> bytes:
        """Return the file's bytes; they are read once. Raises `Unreadable` if it cannot be read."""
        if self.data is None:
            self.data = notebook_bytes(self.path, self.top)
        return self.data


class FileCache:
    """The cache of one assignment's files, by student."""

    def __init__(self, folder: Path):
        """Read the cache from disk; it is empty if the file is missing or damaged. `folder`: that
        of the assignment's results.
        """
        self.path = folder / NAME
        self.seen: dict[str, FileRecord] = {}
        self.noted = 0
        with contextlib.suppress(OSError, ValueError, RecursionError):
            self.seen = DECODER.decode(read_named(self.path, MAX_BYTES))

    def file(self, student: str, path: Path, top: Path) -> NotebookFile:
        """Return the student's file at this path as it is now.

        `top`: the folder below which no link is followed. Raises `Unreadable` if the file cannot be
        read.
        """
        return NotebookFile(path, top, self.seen.get(student))

    def note(self, student: str, file: NotebookFile, submission: str) -> None:
        """Cache which submission (given by its hash) the student's file holds. After BATCH changes,
        the cache is written to disk. Raises `OSError` if it cannot be written.
        """
        seen = FileRecord(file.state, file.digest, submission)
        if self.seen.get(student) != seen:
            self.seen[student] = seen
            self.noted += 1
        if self.noted >= BATCH:
            self.write()

    def write(self) -> None:
        """Write the cache to disk if it has changed. Raises `OSError` if it cannot be written."""
        if self.noted:
            with replacing_bytes(self.path) as file:
                file.write(ENCODER.encode(self.seen))
            self.noted = 0
