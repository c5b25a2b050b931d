"""Find submissions: in a folder in nbgrader's layout, or in one notebook."""

import os
from pathlib import Path

from autograder.engine.course.assignment import Assignment
from autograder.engine.course.course import CONFIG, Course
from autograder.engine.course.which import cannot_tell, every, in_name, of_cells
from autograder.engine.notebook.reader import Unreadable, read_notebook
from autograder.engine.verdict.verdict import STUDENT
from autograder.files.reading import entries
from autograder.text.errors import CommandError
from autograder.text.printable import printable


class NoSubmissions(CommandError):
    """There is nothing to grade here; the message says what was looked for, and where."""


def find_submissions(place: Path, assignment: Assignment) -> dict[str, Path]:
    """Return the path of each student's notebook: where it is, or where it should be.

    `place` is a folder in nbgrader's layout, or one notebook. A student whose folder is a link or
    cannot be read is included; reading the notebook then fails. Raises `NoSubmissions`, `OSError`.
    """
    if place.is_file():
        return {_student_of(place, assignment): place.absolute()}
    refuse_other_folders(place)
    notebooks = {
        student.name: _notebook_in(place / student.name / assignment.id, assignment, place)
        for student in entries(place, place)
        if not student.name.startswith(".") and _has_handed_in(place / student.name, assignment)
    }
    if not notebooks:
        raise NoSubmissions(
            f"No submission of `{assignment.id}` is in `{place}`: looked for "
            f"{place}/<student>/{assignment.id}/{assignment.id}.ipynb{_did_you_mean(place)}."
        )
    return notebooks


def assignments_in(place: Path, course: Course) -> list[Assignment]:
    """Return the assignments with submissions in a folder, or the assignment of a notebook.

    Raises `UnknownAssignment` if the notebook's assignment cannot be told, `NoSubmissions`,
    `OSError`.
    """
    known = every(course)
    if place.is_file():
        return [_assignment_of(place, known)]
    refuse_other_folders(place)
    students = [one.name for one in entries(place, place) if not one.name.startswith(".")]
    found = [one for one in known if any(os.path.lexists(place / who / one.id) for who in students)]
    if not found:
        ids = " or ".join(one.id for one in known)
        raise NoSubmissions(
            f"No submission is in `{place}`: looked for {place}/<student>/<assignment>/, of {ids}"
            f"{_did_you_mean(place)}."
        )
    return found


def refuse_other_folders(place: Path) -> None:
    """Raise `NoSubmissions` for a path that does not exist, or for a course's own folder."""
    if not place.is_dir():
        raise NoSubmissions(f"There is no folder or notebook `{place}`.")
    if (place / CONFIG).is_file():
        raise NoSubmissions(
            f"`{place}` is a course, and no folder of submissions{_did_you_mean(place)}."
        )


def refuse_invalid_ids(notebooks: dict[str, Path]) -> tuple[dict[str, Path], list[str]]:
    """Return the submissions whose folders' names are valid student ids, and a sentence for each
    other one.
    """
    valid = {name: path for name, path in notebooks.items() if STUDENT.fullmatch(name)}
    refused = [
        f"`{printable(name)}` cannot be a student's id (letters, digits, . _ @ -, at most 64): "
        "rename the folder and grade again."
        for name in notebooks
        if name not in valid
    ]
    return valid, refused


def trusted_folder(place: Path, assignment: Assignment) -> Path:
    """Return the folder of all submissions, below which no link is followed, as students may have
    made it.
    """
    if place.is_dir():
        return place
    above = list(place.absolute().parents)
    return above[min(2, len(above) - 1) if in_nbgrader_layout(place, assignment) else 0]


def in_nbgrader_layout(place: Path, assignment: Assignment) -> bool:
    """Whether `place` is a folder of submissions, or a notebook in a folder named after the
    assignment.
    """
    return place.is_dir() or place.absolute().parent.name == assignment.id


def _assignment_of(notebook: Path, known: list[Assignment]) -> Assignment:
    """Return the assignment of a notebook: of its folder in nbgrader's layout, of its cells, or of
    its name.
    """
    folder = notebook.absolute().parent.name
    found = [one for one in known if one.id == folder] or of_cells(_names_in(notebook), known)
    found = found or known
    if len(found) > 1:  # a name may be wrong: it counts where cells do not say it
        named = in_name(notebook.name, [one.id for one in found])
        found = [one for one in found if one.id in named]
    if len(found) == 1:
        return found[0]
    ids = [one.id for one in known]
    raise cannot_tell(f"Neither name nor cells of `{notebook}` say of which assignment it is", ids)


def _names_in(notebook: Path) -> list[str]:
    try:
        cells = read_notebook(notebook)
    except Unreadable:  # grading says why
        return []
    return [name for cell in cells for name in (cell.grade_id, cell.id) if name]


def _did_you_mean(place: Path) -> str:
    for other in (place / "submitted", place.parent, place.parent.parent):
        if other.name == "submitted" and other.is_dir():
            return f"; did you mean `{other}`?"
    return ""


def _student_of(notebook: Path, assignment: Assignment) -> str:
    """Return the student: the student's folder in nbgrader's layout, else the notebook's own name."""
    known = in_nbgrader_layout(notebook, assignment)
    return notebook.absolute().parent.parent.name if known else notebook.stem


def _has_handed_in(student: Path, assignment: Assignment) -> bool:
    """Whether a student's folder has an entry for the assignment, or cannot be looked into.

    Nothing is opened, as the folder may be a link.
    """
    try:
        os.lstat(student / assignment.id)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:  # it cannot be looked into: reading will say why
        return bool(STUDENT.fullmatch(student.name))
    return True


def _notebook_in(folder: Path, assignment: Assignment, top: Path) -> Path:
    """Return the path of the assignment's notebook, or of the only notebook in the folder."""
    try:
        names = notebooks_in(folder, top)
    except OSError:  # reading will say why
        names = []
    return folder / chosen_of(names, assignment)


def notebooks_in(folder: Path, top: Path) -> list[str]:
    """Return the names of the notebooks in a folder; hidden files are left out.

    Raises `NotRegular`, `OSError`.
    """
    names = [one.name for one in entries(folder, top) if one.kind != "folder"]
    return [name for name in names if name.lower().endswith(".ipynb") and name[0] != "."]


def chosen_of(notebooks: list[str], assignment: Assignment) -> str:
    """Return the name of the assignment's notebook: the only one, else `<assignment>.ipynb`, even
    if it is not among these names.
    """
    expected = f"{assignment.id}.ipynb"
    return notebooks[0] if len(notebooks) == 1 else expected
