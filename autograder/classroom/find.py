"""Where submissions are: a folder in nbgrader's layout, or one notebook."""

import os
from pathlib import Path

from autograder.engine.assignment import Assignment
from autograder.engine.verdict import STUDENT


class NoSubmissions(Exception):
    """There is nothing to grade here; the message says what was looked for, and where."""


def find_submissions(place: Path, assignment: Assignment) -> dict[str, Path]:
    """Return the notebook of each student: where it is, or where it should be.

    `place` is a folder in nbgrader's layout, or one notebook. Raises `NoSubmissions`.
    """
    if place.is_file():
        return {_student_of(place, assignment): place}
    if not place.is_dir():
        raise NoSubmissions(f"There is no folder or notebook `{place}`.")
    notebooks = {
        folder.name: _notebook_in(folder / assignment.id, assignment)
        for folder in sorted(place.iterdir())
        if not folder.name.startswith(".") and os.path.lexists(folder / assignment.id)
    }
    if not notebooks:
        raise NoSubmissions(
            f"No submission of `{assignment.id}` is in `{place}`: looked for "
            f"{place}/<student>/{assignment.id}/{assignment.id}.ipynb{_did_you_mean(place)}."
        )
    return notebooks


def refuse_invalid_ids(notebooks: dict[str, Path]) -> tuple[dict[str, Path], list[str]]:
    """Return the submissions whose folder's name can be a student's id, and a sentence for each of
    the others.
    """
    valid = {name: path for name, path in notebooks.items() if STUDENT.fullmatch(name)}
    refused = [
        f"`{name!r}` cannot be a student's id (letters, digits, . _ @ -, at most 64): "
        "rename the folder and grade again."
        for name in notebooks
        if name not in valid
    ]
    return valid, refused


def in_nbgrader_layout(place: Path, assignment: Assignment) -> bool:
    """Whether submissions come as nbgrader keeps them, and not as one notebook from anywhere."""
    return place.is_dir() or place.absolute().parent.name == assignment.id


def _did_you_mean(place: Path) -> str:
    for other in (place / "submitted", place.parent, place.parent.parent):
        if other.name == "submitted" and other.is_dir():
            return f"; did you mean `{other}`?"
    return ""


def _student_of(notebook: Path, assignment: Assignment) -> str:
    """The student's folder in nbgrader's layout, else the notebook's own name."""
    known = in_nbgrader_layout(notebook, assignment)
    return notebook.absolute().parent.parent.name if known else notebook.stem


def _notebook_in(folder: Path, assignment: Assignment) -> Path:
    """The assignment's notebook, or the only one there is, whatever its name."""
    expected = folder / f"{assignment.id}.ipynb"
    if os.path.lexists(expected) or folder.is_symlink() or not folder.is_dir():
        return expected
    others = list(folder.glob("*.ipynb"))
    return others[0] if len(others) == 1 else expected
