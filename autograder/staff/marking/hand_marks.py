"""What a person marks: which answers wait, what was given for them, and giving it to equal ones."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbgrader.api import BaseCell, Comment, Grade
from sqlalchemy import or_, select, update
from sqlalchemy.orm import Session

from autograder.engine.course.assignment import CHECK
from autograder.engine.course.course import Course
from autograder.engine.limits.bounded import OutOfBounds, run_bounded
from autograder.engine.verdict.verdict import STUDENT
from autograder.files.reading import read_regular
from autograder.gradebook.database import folders_of, open_session
from autograder.gradebook.marks import CellMark
from autograder.gradebook.tables import marks_in

MAX_BYTES = 256 << 20  # of a graded notebook
REMEDY = "mend that and try again"


@dataclass(frozen=True)
class HandMark:
    """One cell of one student that a person marks or has marked."""

    student: str
    cell: CellMark
    comment: str

    @property
    def exercise(self) -> str:
        return self.cell.name.removeprefix(CHECK)

    @property
    def is_empty(self) -> bool:
        """Whether it is as released, so that nobody needs to look."""
        return not self.cell.is_open and self.cell.automatic is not None


@dataclass(frozen=True)
class Copy:
    """A mark, and an equal answer that is to have it, too."""

    giver: HandMark
    taker: HandMark


def hand_marks(url: str, assignment_id: str) -> list[HandMark]:
    """Return all that a person marks or has to look at, by student. Raises `UnreadableGradebook`."""
    with open_session(url, REMEDY) as session:
        marks = marks_in(session, assignment_id)
    return [
        HandMark(student, cell, one.comments.get(cell.name.removeprefix(CHECK), ""))
        for student, one in sorted(marks.items())
        for cell in one.cells
        if cell.is_open or cell.is_written
    ]


def copy_marks(url: str, copies: Iterable[Copy], comments: bool = False) -> list[Copy]:
    """Give marks to equal answers that have none; return what was given.

    What has been marked meanwhile stays, and so does every comment that is there. With `comments`,
    those of the giver go along. Raises `UnreadableGradebook`, and then nothing was given.
    """
    done = []
    with open_session(url, REMEDY) as session:
        for one in copies:
            given = {
                Grade.manual_score: one.giver.cell.by_hand,
                Grade.extra_credit: one.giver.cell.extra,
                Grade.needs_manual_grade: False,
            }
            without = update(Grade).where(
                Grade.id == one.taker.cell.grade_id,
                Grade.manual_score.is_(None),
                Grade.needs_manual_grade,
            )
            if session.connection().execute(without.values(given)).rowcount:
                done.append(one)
                if comments and one.giver.comment:
                    _comment_where_there_is_none(session, one)
        session.commit()
    return done


def _comment_where_there_is_none(session: Session, copy: Copy) -> None:
    cells = select(BaseCell.id).where(BaseCell.name == copy.taker.exercise)
    empty = update(Comment).where(
        Comment.notebook_id == copy.taker.cell.notebook_id,
        Comment.cell_id.in_(cells),
        or_(Comment.manual_comment.is_(None), Comment.manual_comment == ""),
    )
    session.connection().execute(empty.values({Comment.manual_comment: copy.giver.comment}))


class GradedNotebooks:
    """The graded notebooks of a course, which formgrader shows."""

    def __init__(self, course: Course):
        self.folders = folders_of(course)
        self.top = Path(self.folders.format_path(self.folders.autograded_directory, ".", "."))

    def cells(self, assignment_id: str, student: str) -> Mapping[str, Mapping[str, Any]]:
        """Return the cells of a student's notebook by id; none where it cannot be read."""
        if not STUDENT.fullmatch(student):
            return {}
        directory = self.folders.autograded_directory
        folder = Path(self.folders.format_path(directory, student, assignment_id))

        def read() -> Mapping[str, Mapping[str, Any]]:
            data = read_regular(folder / f"{assignment_id}.ipynb", MAX_BYTES, self.top)
            return {cell["id"]: cell for cell in json.loads(data)["cells"]}

        try:
            return run_bounded(read)
        except (OutOfBounds, OSError, ValueError, LookupError, TypeError, RecursionError):
            return {}
