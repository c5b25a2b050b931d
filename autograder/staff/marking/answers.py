"""The answers that a person marks, as graded notebooks have them, with their marks."""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.engine.course.assignment import CHECK
from autograder.files.digest import digest_of
from autograder.gradebook.answers import answer_in
from autograder.staff.marking.hand_marks import Copy, GradedNotebooks, HandMark


@dataclass(frozen=True)
class WrittenAnswer:
    """One answer, and what the gradebook says of it."""

    mark: HandMark
    kind: str  # markdown or code
    text: str
    attachments: Mapping[str, Any]
    digest: str  # of text and pictures
    alike: str  # the same for answers that differ in blanks alone
    address: str  # of the place in formgrader where it is marked

    @property
    def student(self) -> str:
        return self.mark.student

    @property
    def exercise(self) -> str:
        return self.mark.exercise

    @property
    def is_marked(self) -> bool:
        return self.mark.cell.by_hand is not None and not self.mark.cell.is_open


def read_answers(
    marks: Iterable[HandMark], notebooks: GradedNotebooks, assignment_id: str, formgrader: str
) -> tuple[list[WrittenAnswer], list[str]]:
    """Return the answers that there are, and the students whose graded notebook cannot be read.

    Left out is what nobody has to mark: what is as released. `formgrader` is its address.
    """
    by_student: dict[str, list[HandMark]] = defaultdict(list)
    for mark in marks:
        if not mark.is_empty:
            by_student[mark.student].append(mark)
    answers, unread = [], []
    for student, theirs in by_student.items():
        cells = notebooks.cells(assignment_id, student)
        places = _places(cells.values())
        for mark in theirs:
            cell = cells.get(mark.exercise)
            name = mark.exercise if mark.cell.is_written else CHECK + mark.exercise
            if cell is None or name not in places:
                unread.append(student)
            else:
                address = f"{formgrader}/submissions/{mark.cell.notebook_id}/?index={places[name]}"
                answers.append(_written(mark, cell, address))
    return answers, sorted(set(unread))


def groups(answers: Iterable[WrittenAnswer]) -> list[list[WrittenAnswer]]:
    """Return the answers of each exercise that say the same together, by the first one's student."""
    found: dict[tuple[str, str], list[WrittenAnswer]] = defaultdict(list)
    for answer in sorted(answers, key=lambda one: (one.exercise, one.student)):
        found[answer.exercise, answer.alike].append(answer)
    return list(found.values())


def plan_copies(answers: Iterable[WrittenAnswer]) -> tuple[list[Copy], list[str]]:
    """Return which marks equal answers could have, and a sentence where those marked differ."""
    copies, differing = [], []
    for group in groups(one for one in answers if one.mark.cell.is_written):
        givers = [one.mark for one in group if one.is_marked]
        takers = [
            one.mark for one in group if one.mark.cell.is_open and one.mark.cell.by_hand is None
        ]
        if len({(one.cell.by_hand, one.cell.extra or 0.0) for one in givers}) > 1:
            differing.append(_differ(givers))
        elif givers:
            copies += [Copy(givers[0], taker) for taker in takers]
    return copies, differing


def _differ(givers: Sequence[HandMark]) -> str:
    given = ", ".join(f"{one.student} {one.cell.points:g}" for one in givers)
    return f"{givers[0].exercise}: equal answers have different points ({given})."


def _written(mark: HandMark, cell: Mapping, address: str) -> WrittenAnswer:
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
    digest = answer_in(cell).digest
    alike = digest_of(normal, pictures)
    return WrittenAnswer(mark, kind, text, attachments, digest, alike, address)


def _places(cells: Iterable[Mapping]) -> dict[str, int]:
    """By cell, the number that formgrader's page gives to the field for its points."""
    places, fields = {}, 1  # the first one leads to the next submission
    for name, role in _roles(cells):
        if role.get("grade") or role.get("task"):
            places[name] = fields
            fields += 2  # points and extra credit
        if role.get("solution") or role.get("task"):
            fields += 1  # the comment
    return places


def _roles(cells: Iterable[Mapping]) -> Iterator[tuple[str, Mapping]]:
    for cell in cells:
        role = cell["metadata"].get("nbgrader", {})
        if "grade_id" in role:
            yield role["grade_id"], role
