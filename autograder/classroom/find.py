"""Find submissions, in nbgrader's layout (`<student>/<assignment>/<notebook>`) or a notebook."""

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
    """There is nothing to grade. The message names the expected files and folders."""


def find_submissions(place: Path, assignment: Assignment) -> dict[str, Path]:
    """Return the path of each student's notebook, by student. It is the expected path if the
    folder has no suitable notebook.

    `place`: a folder in nbgrader's layout, or a notebook. Unreadable folders and links are
    included, and reading the notebook later fails. Raises `NoSubmissions` if nothing is found,
    `OSError` if `place` cannot be listed.
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
    """Return the notebooks in `place`, by student, and a sentence for each invalid id."""
    try:
        return refuse_invalid_ids(find_submissions(place, assignment))
    except NoSubmissions:
        return {}, []


def assignments_in(place: Path, course: Course) -> list[Assignment]:
    """Return the assignments with submissions in `place`, a folder in nbgrader's layout or a
    notebook.

    Raises `CourseError` for an ambiguous notebook, `NoSubmissions` for an empty folder, `OSError`
    if it cannot be listed.
    """
    assignments = courses.every(course)
    if place.is_file():
        return [_assignment_of(place, assignments)]
    refuse_other_folders(place)
    students = [
        entry.name for entry in files.entries(place, place) if not entry.name.startswith(".")
    ]
    submitted = [
        assignment
        for assignment in assignments
        if any(os.path.lexists(place / student / assignment.id) for student in students)
    ]
    if not submitted:
        ids = " or ".join(assignment.id for assignment in assignments)
        raise NoSubmissions(
            f"No submission is in `{place}`: looked for {place}/<student>/<assignment>/, of {ids}"
            f"{_did_you_mean(place)}."
        )
    return submitted


def refuse_other_folders(place: Path) -> None:
    """Raise `NoSubmissions` unless `place` is a folder other than a course's own."""
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
    """Return submissions (paths by student) with valid ids, and a sentence for each other."""
    valid = {name: path for name, path in notebooks.items() if verdicts.STUDENT.fullmatch(name)}
    refused = [
        f"`{printable(name)}` cannot be a student's id (letters, digits, . _ @ -, at most 64): "
        "rename the folder and grade again."
        for name in notebooks
        if name not in valid
    ]
    return valid, refused


def trusted_folder(place: Path, assignment: Assignment) -> Path:
    """Return the folder below which no link is followed, because students may have made its
    content.

    It is `place`, the folder of all submissions, or the corresponding folder above a notebook in
    nbgrader's layout. For any other notebook, it is the folder of the notebook.
    """
    if place.is_dir():
        return place
    above = list(place.absolute().parents)
    return above[min(2, len(above) - 1) if in_nbgrader_layout(place, assignment) else 0]


def in_nbgrader_layout(place: Path, assignment: Assignment) -> bool:
    """Whether `place` is a folder, or a notebook in a folder named after the assignment."""
    return place.is_dir() or place.absolute().parent.name == assignment.id


def _assignment_of(notebook: Path, assignments: list[Assignment]) -> Assignment:
    """Return the notebook's assignment by folder, cells or file name. Raises `CourseError`."""
    folder = notebook.absolute().parent.name
    candidates = [
        candidate for candidate in assignments if candidate.id == folder
    ] or courses.of_cells(_names_in(notebook), assignments)
    candidates = candidates or assignments
    if len(candidates) > 1:  # file names may be wrong, so cells take precedence
        named_ids = courses.in_name(notebook.name, [candidate.id for candidate in candidates])
        candidates = [candidate for candidate in candidates if candidate.id in named_ids]
    if len(candidates) == 1:
        return candidates[0]
    ids = [candidate.id for candidate in assignments]
    raise courses.cannot_tell(
        f"Neither name nor cells of `{notebook}` say of which assignment it is", ids
    )


def _names_in(notebook: Path) -> list[str]:
    """Return the names and ids of a notebook's cells, [] if it cannot be read."""
    try:
        cells = notebooks.read_notebook(notebook)
    except Unreadable:  # grading reports the reason
        return []
    return [name for cell in cells for name in cell.names]


def _did_you_mean(place: Path) -> str:
    """Return the end of an error message with a folder `submitted` near `place`, or ""."""
    for folder in (place / "submitted", place.parent, place.parent.parent):
        if folder.name == "submitted" and folder.is_dir():
            return f"; did you mean `{folder}`?"
    return ""


def _student_of(notebook: Path, assignment: Assignment) -> str:
    """Return the id of the notebook's student: the folder's name, else the notebook's."""
    has_layout = in_nbgrader_layout(notebook, assignment)
    return notebook.absolute().parent.parent.name if has_layout else notebook.stem


def _has_handed_in(student: Path, assignment: Assignment) -> bool:
    """Whether a student's folder has an entry for the assignment. Links are not followed."""
    try:
        os.lstat(student / assignment.id)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:  # reading the submission reports the reason
        return bool(verdicts.STUDENT.fullmatch(student.name))
    return True
