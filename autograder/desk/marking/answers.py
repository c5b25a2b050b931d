"""Read the answers that people mark, from graded notebooks, with their marks in the gradebook.

Marks by hand are stored only in the gradebook, where formgrader writes them. Verdicts do not have
them. The text comes from the notebook that formgrader shows, not from `submitted/`, because the
mark belongs to that version.
"""

import json
import unicodedata
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nbgrader.coursedir import CourseDirectory

from autograder.engine import Course, files, limits, verdicts
from autograder.gradebook.sync.answers import answer_in
from autograder.gradebook.sync.database import TRY_AGAIN, folders_of, open_session
from autograder.gradebook.sync.marks import CellMark
from autograder.gradebook.sync.tables import marks_in

MAX_BYTES = 256 << 20  # of a graded notebook


@dataclass(frozen=True)
class WrittenAnswer:
    """An answer that a person marks or has marked, with its text and its mark in the gradebook."""

    student: str
    exercise: str
    cell: CellMark
    comment: str
    kind: str  # markdown or code
    text: str
    attachments: Mapping[str, Any]
    version: str  # hash of the answer, after a "v" so that spreadsheets do not read a number
    alike: str  # equal for answers that differ only in white space
    address: str  # URL of its field in formgrader

    @property
    def name(self) -> tuple[str, str]:
        return self.student, self.exercise

    @property
    def is_marked(self) -> bool:
        return self.cell.by_hand is not None and not self.cell.is_open

    @property
    def state(self) -> str:
        """The work left on the answer: "marked", "open", "changed since it was marked", or "look
        again: ..." for code with a check.
        """
        if not self.cell.is_open:
            return "marked"
        if not self.cell.is_written:
            return "look again: it was changed, or its automatic points were"
        return "open" if self.cell.earlier is None else "changed since it was marked"


def read_answers(
    url: str,
    course: Course,
    assignment_id: str,
    formgrader: str,
    only: Container[tuple[str, str]] | None = None,
) -> tuple[list[WrittenAnswer], list[str]] | None:
    """Return the answers that need marking or another look, and the ids of students with an
    unreadable graded notebook. Return None if the gradebook has no such cell for the assignment.

    Unchanged release text is left out. The answer of a group is listed once, under the group's id.
    `url`: the gradebook's database. `formgrader`: formgrader's web address, for links. `only`:
    pairs of student and exercise. Then exactly these answers are returned, even if they are
    unchanged, marked by a check or a group's. Raises `AutograderError` if the gradebook cannot be
    read.
    """
    with open_session(url, TRY_AGAIN) as session:
        marks = marks_in(session, assignment_id)
    by_hand = {
        student: [cell for cell in student_marks.cells if _is_wanted(student, cell, only)]
        for student, student_marks in sorted(marks.items())
    }
    answers, unread = list[WrittenAnswer](), set[str]()
    folders = folders_of(course)
    for student, student_cells in by_hand.items():
        if only is None:
            student_cells = for_a_person(student_cells)
        cells = graded_cells(folders, assignment_id, student) if student_cells else {}
        places = _places(cells.values())
        for mark in student_cells:
            exercise = mark.exercise
            if exercise in cells and mark.name in places:
                page = f"{formgrader}/submissions/{mark.notebook_id}/?index={places[mark.name]}"
                comment = marks[student].comments.get(exercise, "")
                answers.append(_written(student, exercise, mark, comment, cells[exercise], page))
            else:
                unread.add(student)
    if only is None:
        answers = _once(answers)
    return (answers, sorted(unread)) if any(by_hand.values()) else None


def _once(answers: Iterable[WrittenAnswer]) -> list[WrittenAnswer]:
    by_name: dict[tuple[str, str], WrittenAnswer] = {}
    for answer in answers:
        owner = answer.cell.owner or answer.student
        by_name.setdefault((owner, answer.exercise), replace(answer, student=owner))
    return [*by_name.values()]


def _is_wanted(student: str, cell: CellMark, only: Container[tuple[str, str]] | None) -> bool:
    if only is None:
        return cell.is_open or cell.is_written
    return (student, cell.exercise) in only


def for_a_person(cells: Iterable[CellMark]) -> list[CellMark]:
    """Return the marks that a person gives or has to check again, without those of unchanged
    release text.
    """
    return [cell for cell in cells if cell.is_open or (cell.is_written and cell.automatic is None)]


def groups(answers: Iterable[WrittenAnswer]) -> list[list[WrittenAnswer]]:
    """Return the answers in groups of equal answers, sorted by exercise and first student.

    Equal answers belong to the same exercise and have the same text and pictures. Text may differ
    in white space, code only at line ends and in surrounding blank lines.
    """
    by_text: dict[tuple[str, str], list[WrittenAnswer]] = defaultdict(list)
    for answer in sorted(answers, key=lambda answer: (answer.exercise, answer.student)):
        by_text[answer.exercise, answer.alike].append(answer)
    return list(by_text.values())


def graded_cells(
    folders: CourseDirectory, assignment_id: str, student: str
) -> Mapping[str, Mapping[str, Any]]:
    """Return the cells of the student's graded notebook (nbformat's dicts) by id, {} if the
    notebook cannot be read or `student` is not a valid id. `folders`: nbgrader's settings on
    folders.
    """

    def folder(student: str, assignment_id: str) -> Path:
        directory = folders.autograded_directory
        return Path(folders.format_path(directory, student, assignment_id))

    def read() -> Mapping[str, Mapping[str, Any]]:
        path = folder(student, assignment_id) / f"{assignment_id}.ipynb"
        data = files.read_regular(path, MAX_BYTES, folder(".", "."))
        return {cell["id"]: cell for cell in json.loads(data)["cells"]}

    try:
        return limits.run_bounded(read) if verdicts.STUDENT.fullmatch(student) else {}
    except (limits.OutOfBounds, OSError, ValueError, LookupError, TypeError, RecursionError):
        return {}


def _written(
    student: str, exercise: str, mark: CellMark, comment: str, cell: Mapping, address: str
) -> WrittenAnswer:
    text = "".join(cell["source"])
    attachments = cell.get("attachments", {})
    kind = "code" if cell.get("cell_type") == "code" else "markdown"
    normal = unicodedata.normalize("NFC", text)
    if kind == "code":  # indentation has a meaning in Python
        normal = "\n".join(line.rstrip() for line in normal.strip().splitlines())
    else:
        normal = " ".join(normal.split())
    pictures = sorted(
        [name, kind, data] for name, forms in attachments.items() for kind, data in forms.items()
    )
    version, alike = f"v{answer_in(cell).digest[:10]}", files.digest_of(normal, pictures)
    return WrittenAnswer(
        student, exercise, mark, comment, kind, text, attachments, version, alike, address
    )


def _places(cells: Iterable[Mapping]) -> dict[str, int]:
    """Return, by cell name, the index of the cell's points field on formgrader's page."""
    # formgrader's links count all input fields of its page; the first leads to the next submission
    places, fields = {}, 1
    for cell in cells:
        role = cell["metadata"].get("nbgrader", {})
        if role.get("grade") or role.get("task"):
            places[role.get("grade_id", "")] = fields
            fields += 2  # points and extra credit
        if role.get("solution") or role.get("task"):
            fields += 1  # the comment
    return places
