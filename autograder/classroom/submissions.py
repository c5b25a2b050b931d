"""Where submissions are: a folder in nbgrader's layout, or one notebook."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from autograder.assignment import Assignment
from autograder.verdict import STUDENT


class NoSubmissions(Exception):
    """There is nothing to grade here; the message says what was looked for, and where."""


@dataclass(frozen=True)
class Entry:
    """One submission: whose, and where its notebook is, or should be."""

    student: str
    notebook: Path


def find_submissions(place: Path, assignment: Assignment) -> list[Entry]:
    """Return the submissions in a folder of nbgrader's layout, or the one in a notebook file.

    Raises `NoSubmissions`.
    """
    if place.is_file():
        return [Entry(_student_of(place, assignment), place)]
    if not place.is_dir():
        raise NoSubmissions(f"There is no folder or notebook `{place}`.")
    entries = [
        Entry(folder.name, _notebook_in(folder / assignment.id, assignment))
        for folder in sorted(place.iterdir())
        if not folder.name.startswith(".") and os.path.lexists(folder / assignment.id)
    ]
    if not entries:
        raise NoSubmissions(
            f"No submission of `{assignment.id}` is in `{place}`: looked for "
            f"{place}/<student>/{assignment.id}/{assignment.id}.ipynb{_did_you_mean(place)}."
        )
    return entries


def _did_you_mean(place: Path) -> str:
    for other in (place / "submitted", place.parent, place.parent.parent):
        if other.name == "submitted" and other.is_dir():
            return f"; did you mean `{other}`?"
    return ""


def in_layout(place: Path, assignment: Assignment) -> bool:
    """Whether submissions come as nbgrader keeps them, and not as one notebook from anywhere."""
    return place.is_dir() or place.absolute().parent.name == assignment.id


def _student_of(notebook: Path, assignment: Assignment) -> str:
    """The student's folder in nbgrader's layout, else the notebook's own name."""
    known = in_layout(notebook, assignment)
    return notebook.absolute().parent.parent.name if known else notebook.stem


def _notebook_in(folder: Path, assignment: Assignment) -> Path:
    """The assignment's notebook, or the only one there is, whatever its name."""
    expected = folder / f"{assignment.id}.ipynb"
    if os.path.lexists(expected) or folder.is_symlink() or not folder.is_dir():
        return expected
    others = list(folder.glob("*.ipynb"))
    return others[0] if len(others) == 1 else expected


def placed(entries: Iterable[Entry]) -> tuple[list[Entry], list[str]]:
    """Split off the folders whose name cannot be a student's id, as sentences."""
    good, refused = [], []
    for entry in entries:
        if STUDENT.fullmatch(entry.student):
            good.append(entry)
        else:
            refused.append(
                f"`{entry.student!r}` cannot be a student's id (letters, digits, . _ @ -, at most 64): "
                "rename the folder and grade again."
            )
    return good, refused
