"""The cache of files that were read, with the submission in each, so that only changed files are
parsed again.

    results/<assignment>/.files     made again if it is missing or damaged

Nothing else depends on it. A file is unchanged if its bytes are the same. Size and times do not say
so: a file system need not date what is written through a memory mapping.
"""

import contextlib
import hashlib
from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec import Struct

from autograder.engine.courses.assignment import Assignment
from autograder.engine.files.reading import read_named
from autograder.engine.files.writing import replacing_bytes
from autograder.engine.notebooks.reader import notebook_bytes
from autograder.engine.notebooks.submission import parse_submission

NAME = ".files"
MAX_BYTES = 256 << 20
BATCH = 500  # files that are noted before they are written


class FileRecord(Struct, frozen=True, array_like=True, gc=False):
    """A file as it was when it was last read, and the hash of the submission in it."""

    digest: str  # of its bytes
    submission: str  # its hash


ENCODER, DECODER = msgspec.json.Encoder(), msgspec.json.Decoder(dict[str, FileRecord])


class NotebookFile:
    """A student's notebook file as it is now: its bytes (`data`), and the hash of the submission in
    it, "" if unknown.
    """

    def __init__(self, path: Path, top: Path, seen: FileRecord | None):
        """`top`: the folder below which no link is followed; `seen`: the file's record in the
        cache, None if it is not cached.

        Raises `Unreadable` if the file cannot be read.
        """
        self.path = path
        self.data = notebook_bytes(path, top)
        self.digest = hashlib.sha256(self.data).hexdigest()
        self.submission = seen.submission if seen and seen.digest == self.digest else ""


class FileCache:
    """The cache of one assignment's files: of each student's by the student, of files that `collect`
    received by their hash.
    """

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
        seen = FileRecord(file.digest, submission)
        if self.seen.get(student) != seen:
            self.seen[student] = seen
            self.noted += 1
        if self.noted >= BATCH:
            self.write()

    def received(self, assignment: Assignment, sha256: str, read: Callable[[str], bytes]) -> str:
        """Return the hash of the submission in a received notebook, which is parsed once. `sha256`: the
        hash of its content, which `read` returns.
        """
        key = f"sha256:{sha256}"  # not a student's id
        if key not in self.seen:
            submission = parse_submission(assignment, "", f"{assignment.id}.ipynb", read(sha256))
            self.seen[key] = FileRecord(sha256, submission.hash)
            self.noted += 1
        return self.seen[key].submission

    def write(self) -> None:
        """Write the cache to disk if it has changed. Raises `OSError` if it cannot be written."""
        if self.noted:
            with replacing_bytes(self.path) as file:
                file.write(ENCODER.encode(self.seen))
            self.noted = 0
