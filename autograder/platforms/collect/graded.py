"""Write the notebooks that are graded, as the records say, with nbgrader's timestamp.txt and, of what
came through its exchange, the secret with which the student fetches feedback:

    INTO/<student>/<assignment>/<assignment>.ipynb

A run that was interrupted is completed by the next one.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from autograder.classroom.records.received import (
    Choice,
    Placement,
    Submission,
    read_file,
)
from autograder.engine import files, texts, verdicts

MAX_FILE = 256 << 20


class InTheWay(Exception):
    """Something that is not the student's notebook is where that belongs. The message continues a
    sentence that begins with the student.
    """


class GradedFolder:
    """A student's folder for one assignment, in which the notebook lies that will be graded."""

    def __init__(self, into: Path, student: str, assignment_id: str):
        self.into = into
        self.notebook = into / student / assignment_id / f"{assignment_id}.ipynb"

    def read(self) -> bytes | None:
        """Return the notebook's content; None if there is none. Raises `InTheWay` if a link, a
        folder or another thing is in its place.
        """
        folder = self.notebook.parent
        for path in (self.into, folder.parent, folder):
            if files.kind_of(path, self.into) not in ("folder", None):
                raise InTheWay(f"`{path}` is not a folder; move it away and collect again")
        try:
            return files.read_regular(self.notebook, MAX_FILE, self.into)
        except FileNotFoundError:
            return None
        except (files.NotRegular, files.TooLarge) as error:
            raise InTheWay(
                f"`{self.notebook}` is in the way, and not a notebook; move it and collect again"
            ) from error

    def write(self, data: bytes | None, when: datetime | None, secret: bytes | None) -> None:
        """Write the notebook, unless `data` is None, its time of submission (UTC) and its secret;
        without a time, or a secret, remove an earlier one. Raises `OSError`.
        """
        if data is not None:
            with files.replacing_bytes(self.notebook) as file:
                file.write(data)
        if secret is None:
            self.notebook.with_name(files.SECRET).unlink(missing_ok=True)
        elif secret != self.secret():
            with files.replacing_bytes(self.notebook.with_name(files.SECRET)) as file:
                file.write(secret)
        timestamp = self.notebook.with_name(files.TIMESTAMP)
        if when is None:
            timestamp.unlink(missing_ok=True)
        elif self.timestamp() != texts.timestamp_text(when):
            with files.replacing(timestamp) as text:
                text.write(texts.timestamp_text(when) + "\n")

    def remove(self) -> None:
        """Remove the notebook with its time and secret, and the folders if they are empty then."""
        for name in (files.TIMESTAMP, files.SECRET, self.notebook.name):
            self.notebook.with_name(name).unlink(missing_ok=True)
        with suppress(OSError):  # somebody put other files there
            self.notebook.parent.rmdir()
            self.notebook.parent.parent.rmdir()

    def timestamp(self) -> str:
        """Return the time of submission beside the notebook, as nbgrader writes it; "" if there is
        none.
        """
        when = texts.parse_time(files.read_timestamp(self.notebook.parent, self.into))
        return texts.timestamp_text(when) if when else ""

    def secret(self) -> bytes | None:
        """Return the secret beside the notebook; None if there is none."""
        with suppress(OSError):
            return files.read_regular(
                self.notebook.with_name(files.SECRET), files.MAX_SECRET, self.into
            )
        return None


def put_by_hand(
    records: Session, into: Path, assignment_id: str
) -> Iterator[tuple[str, dict[str, bytes], str, datetime]]:
    """Yield the notebooks that somebody put among the submissions by hand: those that `collect` did
    not receive. Each has its student, the contents of the notebook and of its secret by file name,
    timestamp, "" without one, and time of modification.
    """
    received = {
        hash
        for kind in (Submission, Choice)
        for hash in records.scalars(select(kind.notebook).where(kind.assignment == assignment_id))
    }
    there = files.entries(into, into) if into.is_dir() else []
    for student in (one.name for one in there if one.kind == "folder"):
        folder = GradedFolder(into, student, assignment_id)
        with suppress(InTheWay):
            data = folder.read() if verdicts.STUDENT.fullmatch(student) else None
            if data is not None and _sha256(data) not in received:
                changed = datetime.fromtimestamp(folder.notebook.lstat().st_mtime, UTC)
                contents = {folder.notebook.name: data, files.SECRET: folder.secret()}
                kept = {name: data for name, data in contents.items() if data is not None}
                yield student, kept, folder.timestamp(), changed


def write_placements(records: Session, into: Path, assignment_id: str) -> list[str]:
    """Write the notebooks that the records of an assignment place. Return a sentence for each that
    could not be written. Raises `OSError`.
    """
    blocked = []
    for row in records.scalars(select(Placement).where(Placement.assignment == assignment_id)):
        folder = GradedFolder(into, row.student, assignment_id)
        try:
            present = folder.read()
            is_there = present is not None and _sha256(present) == row.notebook
            data = None if is_there else read_file(records, row.notebook)
            folder.write(data, row.submitted_at, _secret_of(records, row))
        except InTheWay as error:
            blocked.append(f"{row.student}: {error}.")
    return blocked


def take_out(into: Path, assignment_id: str, placed: Mapping[str, str]) -> list[str]:
    """Remove the notebooks with these hashes, by student; return the students who had theirs. Raises
    `OSError`.
    """
    removed = []
    for student, notebook in placed.items():
        folder = GradedFolder(into, student, assignment_id)
        with suppress(InTheWay):
            data = folder.read()
            if data is not None and _sha256(data) == notebook:
                folder.remove()
                removed.append(student)
    return removed


def _secret_of(records: Session, row: Placement) -> bytes | None:
    """Return the secret of the submission that is graded; None if it has none."""
    submission = records.get_one(Submission, row.submission_id)
    hashes = [
        file["sha256"] for file in json.loads(submission.files) if file["name"] == files.SECRET
    ]
    return read_file(records, hashes[0])[: files.MAX_SECRET] if hashes else None


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
