"""What a student handed in, as it was read."""

import hashlib
import stat
from dataclasses import dataclass
from pathlib import Path

from autograder.assignment import Assignment
from autograder.notebook import Unreadable, read_notebook
from autograder.repair import Submission, repair


@dataclass(frozen=True)
class Handed:
    """A repaired notebook, or the reason why there is none."""

    student: str
    submission: Submission | None
    hash: str  # of all that the student wrote, or of the file that nobody can read
    unreadable: str = ""


def read_handed(assignment: Assignment, student: str, notebook: Path) -> Handed:
    """Read a notebook file and put the student's cells into the pristine notebook."""
    try:
        submission = repair(assignment, read_notebook(notebook))
    except Unreadable as error:
        return Handed(student, None, _hash_of_file(notebook), str(error))
    return Handed(student, submission, submission.hash)


def _hash_of_file(path: Path) -> str:
    """The hash of a file's content; the empty string where it is no file that can be read."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return ""
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:16]
    except OSError:
        return ""
