"""Write the notebooks to grade according to the records, with nbgrader's timestamp.txt. Submissions
from its exchange also have the secret with which the student fetches feedback:

    INTO/<student>/<assignment>/<assignment>.ipynb

The next run completes an interrupted run.
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
    """Another object is at a notebook's path. The message continues a sentence about the student."""


class GradedFolder:
    """A student's folder for an assignment, with the notebook to grade."""

    def __init__(self, into: Path, student: str, assignment_id: str):
        self.into = into
        self.notebook = into / student / assignment_id / f"{assignment_id}.ipynb"

    def read(self) -> bytes | None:
        """Return the notebook's content, or None. Raises `InTheWay` if another object is at its
        path.
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

    def write(
        self, data: bytes | None, submitted_at: datetime | None, secret: bytes | None
    ) -> None:
        """Write the notebook (unless None), its time of submission (UTC) and its secret. Remove
        earlier times and secrets if they are None. Raises `OSError`.
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
        if submitted_at is None:
            timestamp.unlink(missing_ok=True)
        elif self.timestamp() != texts.timestamp_text(submitted_at):
            with files.replacing(timestamp) as text:
                text.write(texts.timestamp_text(submitted_at) + "\n")

    def remove(self) -> None:
        """Remove the notebook with its time and secret, and its folders if they are then empty."""
        for name in (files.TIMESTAMP, files.SECRET, self.notebook.name):
            self.notebook.with_name(name).unlink(missing_ok=True)
        with suppress(OSError):  # the folders contain other files
            self.notebook.parent.rmdir()
            self.notebook.parent.parent.rmdir()

    def timestamp(self) -> str:
        """Return the time of submission beside the notebook, as nbgrader writes it, or ""."""
        time = texts.parse_time(files.read_timestamp(self.notebook.parent, self.into))
        return texts.timestamp_text(time) if time else ""

    def secret(self) -> bytes | None:
        """Return the secret beside the notebook, or None."""
        with suppress(OSError):
            return files.read_regular(
                self.notebook.with_name(files.SECRET), files.MAX_SECRET, self.into
            )
        return None


def put_by_hand(
    records: Session, into: Path, assignment_id: str
) -> Iterator[tuple[str, dict[str, bytes], str, datetime]]:
    """Yield the notebooks among the submissions that somebody put there by hand, and `collect` did
    not receive: student, contents of notebook and secret by file name, timestamp (or ""), and
    modification time.
    """
    received = {
        hash
        for kind in (Submission, Choice)
        for hash in records.scalars(select(kind.notebook).where(kind.assignment == assignment_id))
    }
    entries = files.entries(into, into) if into.is_dir() else []
    for student in (entry.name for entry in entries if entry.kind == "folder"):
        folder = GradedFolder(into, student, assignment_id)
        with suppress(InTheWay):
            data = folder.read() if verdicts.STUDENT.fullmatch(student) else None
            if data is not None and _sha256(data) not in received:
                changed = datetime.fromtimestamp(folder.notebook.lstat().st_mtime, UTC)
                contents = {folder.notebook.name: data, files.SECRET: folder.secret()}
                available = {name: data for name, data in contents.items() if data is not None}
                yield student, available, folder.timestamp(), changed


def write_placements(records: Session, into: Path, assignment_id: str) -> list[str]:
    """Write the notebooks placed by the records of an assignment. Return a sentence on each
    failure. Raises `OSError`.
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
    """Remove these notebooks, by student and hash. Return the students who had them. Raises
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
    """Return the secret of the graded submission, or None."""
    submission = records.get_one(Submission, row.submission_id)
    hashes = [
        file["sha256"] for file in json.loads(submission.files) if file["name"] == files.SECRET
    ]
    return read_file(records, hashes[0])[: files.MAX_SECRET] if hashes else None


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
