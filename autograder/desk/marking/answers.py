"""Read the answers that a person marks, from graded notebooks, with their marks in the gradebook.

Marks by hand are stored only in the gradebook, where formgrader writes them; no verdict has them.
The text is from the notebook that formgrader shows, not from `submitted/`, because the mark is for
that one.
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
    """One answer that a person marks or has marked, with its text and its mark in the gradebook."""

    student: str
    exercise: str
    cell: CellMark
    comment: str
    kind: str  # markdown or code
    text: str
    attachments: Mapping[str, Any]
    version: str  # tells it from a later answer of the same student; no spreadsheet takes it for a number
    alike: str  # the same for answers that differ in blanks alone
    address: str  # of the place in formgrader where it is marked

    @property
    def name(self) -> tuple[str, str]:
        return self.student, self.exercise

    @property
    def is_marked(self) -> bool:
        return self.cell.by_hand is not None and not self.cell.is_open

    @property
    def state(self) -> str:
        """What is left to do with the answer, in words: "marked", "open", "changed since it was
        marked", or for code with a check "look again: ...".
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
    """Return the answers that a person marks or has to look at, and the ids of students whose
    graded notebook cannot be read.

    `url`: the gradebook's database. `formgrader`: formgrader's web address, for links. Answers that
    are as released are left out. An answer of a group is listed once, under its id. `only`: pairs of
    student and exercise; these answers are returned instead, of each student, whoever or whatever
    marks them and also if they are as released. Return None if the gradebook has no cell of this kind
    for the assignment. Raises `AutograderError` if the gradebook cannot be read.
    """
    with open_session(url, TRY_AGAIN) as session:
        marks = marks_in(session, assignment_id)
    by_hand = {
        student: [cell for cell in one.cells if _is_wanted(student, cell, only)]
        for student, one in sorted(marks.items())
    }
    answers, unread = list[WrittenAnswer](), set[str]()
    folders = folders_of(course)
    for student, theirs in by_hand.items():
        if only is None:
            theirs = for_a_person(theirs)
        cells = graded_cells(folders, assignment_id, student) if theirs else {}
        places = _places(cells.values())
        for mark in theirs:
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
    """Return the answers, those of a group once and under its id."""
    once: dict[tuple[str, str], WrittenAnswer] = {}
    for one in answers:
        owner = one.cell.owner or one.student
        once.setdefault((owner, one.exercise), replace(one, student=owner))
    return [*once.values()]


def _is_wanted(student: str, cell: CellMark, only: Container[tuple[str, str]] | None) -> bool:
    if only is None:
        return cell.is_open or cell.is_written
    return (student, cell.exercise) in only


def for_a_person(cells: Iterable[CellMark]) -> list[CellMark]:
    """Return the marks that a person gives or has to look at again; those of answers that are as
    released are left out.
    """
    return [one for one in cells if one.is_open or (one.is_written and one.automatic is None)]


def groups(answers: Iterable[WrittenAnswer]) -> list[list[WrittenAnswer]]:
    """Return the answers in groups of equal ones: of the same exercise, with the same text and
    pictures; a text may differ in white space, code only at the ends of lines and in what surrounds
    it. Groups are sorted by exercise, then by their first student.
    """
    found: dict[tuple[str, str], list[WrittenAnswer]] = defaultdict(list)
    for answer in sorted(answers, key=lambda one: (one.exercise, one.student)):
        found[answer.exercise, answer.alike].append(answer)
    return list(found.values())


def graded_cells(
    folders: CourseDirectory, assignment_id: str, student: str
) -> Mapping[str, Mapping[str, Any]]:
    """Return the cells of the student's graded notebook, which formgrader shows, as nbformat's
    dicts, by id; {} if it cannot be read, or if `student` is no valid id.

    `folders`: nbgrader's settings on the course's folders.
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
    if kind == "code":  # where a line is indented says what it belongs to
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
    """Return, by cell name, the position that formgrader's page gives the field for the cell's
    points, counted over all its input fields. `cells`: of the notebook, as nbformat's dicts, in
    order.
    """
    places, fields = {}, 1  # the first one leads to the next submission
    for cell in cells:
        role = cell["metadata"].get("nbgrader", {})
        if role.get("grade") or role.get("task"):
            places[role.get("grade_id", "")] = fields
            fields += 2  # points and extra credit
        if role.get("solution") or role.get("task"):
            fields += 1  # the comment
    return places
