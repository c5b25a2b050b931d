"""From which file a submission was read last: the same one need not be read as a notebook again.

It is the same if the system says so (`state_of`), or else if it has the same bytes.

results/.ledger/<assignment>/known-files.db     made again where it is missing or damaged
"""

import sqlite3
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from autograder.engine.digest import digest_of
from autograder.engine.fingerprint import RunSettings, grader_hash, versions_hash

NAME = "known-files.db"
READERS = "msgspec", "pillow"  # packages that read notebooks, beside those that grade
BATCH = 200  # files that are written together
TABLE = (
    "CREATE TABLE IF NOT EXISTS known "
    "(student TEXT PRIMARY KEY, read_by TEXT, state TEXT, digest TEXT, submission TEXT, key TEXT)"
)
GET = "SELECT state, digest, submission, key FROM known WHERE student = ? AND read_by = ?"
PUT = "INSERT OR REPLACE INTO known VALUES (?, ?, ?, ?, ?, ?)"


class Known(NamedTuple):
    """A file, and what was read from it."""

    state: str  # what the system said of it, before it was read
    digest: str  # of its bytes
    submission: str  # its hash
    key: str  # of its result


class KnownFiles:
    """The last file of each student. Whatever fails here costs time, and raises nothing."""

    def __init__(self, folder: Path, settings: RunSettings):
        self.path = folder / NAME
        self.read_by = digest_of(
            settings.assignment.id,
            grader_hash(settings.assignment),  # and of the engine
            settings.sandbox,
            versions_hash(),
            [version(name) for name in READERS],
        )
        self.new: list[tuple[str, ...]] = []  # rows that are not written yet
        self.database = self._open()

    def get(self, student: str) -> Known | None:
        """Return the student's last file, if there is one."""
        try:
            row = self.database.execute(GET, (student, self.read_by)).fetchone()
        except sqlite3.Error:
            return None
        return Known(*row) if row else None

    def put(self, student: str, known: Known) -> None:
        """Keep what was read from a file, at once or with the next ones."""
        self.new.append((student, self.read_by, *known))
        if len(self.new) >= BATCH:
            self._write()

    def close(self) -> None:
        """Keep the rest."""
        self._write()
        self.database.close()

    def _write(self) -> None:
        with suppress(sqlite3.Error), self.database:
            self.database.executemany(PUT, self.new)
        self.new = []

    def _open(self) -> sqlite3.Connection:
        """The database; where it cannot be used, one in memory takes its place."""
        with suppress(OSError, sqlite3.Error):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with suppress(sqlite3.DatabaseError):
                return _opened(self.path)
            self.path.unlink(missing_ok=True)  # damaged
            return _opened(self.path)
        return _opened(":memory:")


def _opened(path: Path | str) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=0)
    try:
        database.execute("PRAGMA synchronous = OFF")  # what is lost with the power is read again
        database.execute(TABLE)
        database.execute(GET, ("", "")).fetchone()
    except BaseException:
        database.close()
        raise
    return database
