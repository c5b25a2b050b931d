"""The cache of parsed files, so that only changed files are parsed again.

    results/<assignment>/.files     made again if it is missing or damaged

Nothing else depends on it. A file is unchanged if its bytes are the same. Size and times do not
prove that: a file system need not update the time after a write through a memory mapping.
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
BATCH = 500  # new records before the cache is written


class FileRecord(Struct, frozen=True, array_like=True, gc=False):
    """The hashes of a file and of the submission in it, at the last reading."""

    digest: str  # of the file's bytes
    submission: str  # hash


ENCODER, DECODER = msgspec.json.Encoder(), msgspec.json.Decoder(dict[str, FileRecord])


class NotebookFile:
    """A student's notebook file as it is now: its bytes (`data`), and the hash of its submission.

    The hash is "" if it is unknown.
    """

    def __init__(self, path: Path, top: Path, record: FileRecord | None):
        """`top`: the folder below which no link is followed. `record`: the cached record, if any.

        Raise `Unreadable` if the file cannot be read.
        """
        self.path = path
        self.data = notebook_bytes(path, top)
        self.digest = hashlib.sha256(self.data).hexdigest()
        self.submission = record.submission if record and record.digest == self.digest else ""


class FileCache:
    """The cache of an assignment's files, by student; received files are cached by their hash."""

    def __init__(self, folder: Path):
        """Read the cache from `folder`, the assignment's results. A missing or damaged cache is
        empty.
        """
        self.path = folder / NAME
        self.seen: dict[str, FileRecord] = {}
        self.noted = 0
        with contextlib.suppress(OSError, ValueError, RecursionError):
            self.seen = DECODER.decode(read_named(self.path, MAX_BYTES))

    def file(self, student: str, path: Path, top: Path) -> NotebookFile:
        """Return the student's file at this path as it is now.

        `top`: the folder below which no link is followed. Raise `Unreadable` if the file cannot be
        read.
        """
        return NotebookFile(path, top, self.seen.get(student))

    def note(self, student: str, file: NotebookFile, submission: str) -> None:
        """Cache the hash of the submission in a student's file.

        After BATCH changes, the cache is written to disk. Raise `OSError` if it cannot be written.
        """
        record = FileRecord(file.digest, submission)
        if self.seen.get(student) != record:
            self.seen[student] = record
            self.noted += 1
        if self.noted >= BATCH:
            self.write()

    def received(self, assignment: Assignment, sha256: str, read: Callable[[str], bytes]) -> str:
        """Return the hash of the submission in a received notebook, which is parsed only once.

        `sha256`: the hash of the file's content. `read`: returns the content by this hash.
        """
        key = f"sha256:{sha256}"  # not a student's id
        if key not in self.seen:
            submission = parse_submission(assignment, "", f"{assignment.id}.ipynb", read(sha256))
            self.seen[key] = FileRecord(sha256, submission.hash)
            self.noted += 1
        return self.seen[key].submission

    def write(self) -> None:
        """Write the cache to disk if it has changed. Raise `OSError` if it cannot be written."""
        if self.noted:
            with replacing_bytes(self.path) as file:
                file.write(ENCODER.encode(self.seen))
            self.noted = 0
