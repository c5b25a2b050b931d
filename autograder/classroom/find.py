"""Find submissions: in a folder in nbgrader's layout (`<student>/<assignment>/<notebook>`), or in a
single notebook.
"""

import os
from pathlib import Path

from autograder.classroom.submitted_files import chosen_notebook
from autograder.engine import (
    Assignment,
    AutograderError,
    Course,
    Unreadable,
    courses,
    files,
    notebooks,
    printable,
    verdicts,
)


class NoSubmissions(AutograderError):
    """There is nothing to grade; the message says which files were looked for, and where."""


def find_submissions(place: Path, assignment: Assignment) -> dict[str, Path]:
    """Return the path of each student's notebook, by student; it is the expected path if the folder
    has no notebook that can be chosen.

    `place`: a folder in nbgrader's layout, or one notebook. A student whose folder is a link or
    cannot be read is included; reading the notebook later fails. Raises `NoSubmissions` if nothing
    is found, and `OSError` if `place` cannot be listed.
    """
    if place.is_file():
        return {_student_of(place, assignment): place.absolute()}
    refuse_other_folders(place)
    notebooks = {
        student.name: chosen_notebook(place / student.name / assignment.id, assignment.id, place)
        for student in files.entries(place, place)
        if not student.name.startswith(".") and _has_handed_in(place / student.name, assignment)
    }
    if not notebooks:
        raise NoSubmissions(
            f"No submission of `{assignment.id}` is in `{place}`: looked for "
            f"{place}/<student>/{assignment.id}/{assignment.id}.ipynb{_did_you_mean(place)}."
        )
    return notebooks


def submissions_in(place: Path, assignment: Assignment) -> tuple[dict[str, Path], list[str]]:
    """Return the notebooks in `place`, by student, and a sentence for each student whose id is
    invalid; nothing if there are no submissions, or none any more.
    """
    try:
        return refuse_invalid_ids(find_submissions(place, assignment))
    except NoSubmissions:
        return {}, []


def assignments_in(place: Path, course: Course) -> list[Assignment]:
    """Return the assignments that have submissions in `place`, a folder in nbgrader's layout; or,
    if `place` is a notebook, its assignment.

    Raises `CourseError` if it cannot be told of which assignment the notebook is; `NoSubmissions`
    if the folder has none; `OSError` if the folder cannot be listed.
    """
    known = courses.every(course)
    if place.is_file():
        return [_assignment_of(place, known)]
    refuse_other_folders(place)
    students = [one.name for one in files.entries(place, place) if not one.name.startswith(".")]
    found = [one for one in known if any(os.path.lexists(place / who / one.id) for who in students)]
    if not found:
        ids = " or ".join(one.id for one in known)
        raise NoSubmissions(
            f"No submission is in `{place}`: looked for {place}/<student>/<assignment>/, of {ids}"
            f"{_did_you_mean(place)}."
        )
    return found


def refuse_other_folders(place: Path) -> None:
    """Raise `NoSubmissions` if there is no folder at `place`, or if it is a course's own folder."""
    if not place.is_dir():
        raise NoSubmissions(
            f"There is no folder or notebook `{place}`. `collect` makes a folder of a download; or name "
            "the one that you mean."
        )
    if (place / courses.CONFIG).is_file():
        raise NoSubmissions(
            f"`{place}` is a course, and no folder of submissions{_did_you_mean(place)}."
        )


def refuse_invalid_ids(notebooks: dict[str, Path]) -> tuple[dict[str, Path], list[str]]:
    """Split submissions (paths by student): return those whose student has a valid id, and a
    sentence for each other one.
    """
    valid = {name: path for name, path in notebooks.items() if verdicts.STUDENT.fullmatch(name)}
    refused = [
        f"`{printable(name)}` cannot be a student's id (letters, digits, . _ @ -, at most 64): "
        "rename the folder and grade again."
        for name in notebooks
        if name not in valid
    ]
    return valid, refused


def trusted_folder(place: Path, assignment: Assignment) -> Path:
    """Return the folder below which no link is followed, as students may have made what lies below
    it.

    `place`: the folder of all submissions, which is returned itself, or one notebook. For a
    notebook in nbgrader's layout, it is the folder around the student's folder; for any other, the
    folder that holds the notebook.
    """
    if place.is_dir():
        return place
    above = list(place.absolute().parents)
    return above[min(2, len(above) - 1) if in_nbgrader_layout(place, assignment) else 0]


def in_nbgrader_layout(place: Path, assignment: Assignment) -> bool:
    """Whether `place` is a folder, or a notebook in a folder that is named after the assignment."""
    return place.is_dir() or place.absolute().parent.name == assignment.id


def _assignment_of(notebook: Path, known: list[Assignment]) -> Assignment:
    """Return the notebook's assignment among the `known`: the one after which its folder is named,
    else the one whose cells it has, else the one in its file name.

    Raises `CourseError` if none or several are possible.
    """
    folder = notebook.absolute().parent.name
    found = [one for one in known if one.id == folder] or courses.of_cells(
        _names_in(notebook), known
    )
    found = found or known
    if len(found) > 1:  # a name may be wrong: it counts where cells do not say it
        named = courses.in_name(notebook.name, [one.id for one in found])
        found = [one for one in found if one.id in named]
    if len(found) == 1:
        return found[0]
    ids = [one.id for one in known]
    raise courses.cannot_tell(
        f"Neither name nor cells of `{notebook}` say of which assignment it is", ids
    )


def _names_in(notebook: Path) -> list[str]:
    """Return the names and ids of a notebook's cells; [] if it cannot be read."""
    try:
        cells = notebooks.read_notebook(notebook)
    except Unreadable:  # grading says why
        return []
    return [name for cell in cells for name in cell.names]


def _did_you_mean(place: Path) -> str:
    """Return the end of an error message that proposes a folder `submitted` near `place`; "" if no
    such folder exists.
    """
    for other in (place / "submitted", place.parent, place.parent.parent):
        if other.name == "submitted" and other.is_dir():
            return f"; did you mean `{other}`?"
    return ""


def _student_of(notebook: Path, assignment: Assignment) -> str:
    """Return the id of the student who handed in a notebook: the name of the student's folder in
    nbgrader's layout, else the notebook's own name.
    """
    known = in_nbgrader_layout(notebook, assignment)
    return notebook.absolute().parent.parent.name if known else notebook.stem


def _has_handed_in(student: Path, assignment: Assignment) -> bool:
    """Whether a student's folder has an entry for the assignment; also True if it cannot be looked
    into and is named like a student.

    Nothing is opened, as the folder may be a link.
    """
    try:
        os.lstat(student / assignment.id)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:  # it cannot be looked into: reading will say why
        return bool(verdicts.STUDENT.fullmatch(student.name))
    return True
