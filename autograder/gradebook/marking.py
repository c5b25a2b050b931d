"""What a person marks: which answers wait, what was given for them, and giving it to equal ones."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import or_, select, update
from sqlalchemy.orm import Session

from autograder.engine.assignment import CHECK
from autograder.engine.bounded import OutOfBounds, run_bounded
from autograder.engine.course import Course, read_config
from autograder.engine.verdict import STUDENT
from autograder.errors import FAILED, CommandError
from autograder.files import read_regular
from autograder.gradebook.marks import comments_of, grades_of
from autograder.gradebook.sessions import DATABASE_ERRORS, open_session, reason_of

MAX_BYTES = 256 << 20  # of a graded notebook


class MarkingError(CommandError):
    """The gradebook cannot be read or written; the message says why."""

    status = FAILED


@dataclass(frozen=True)
class HandMark:
    """One cell of one student that a person marks or has marked."""

    student: str
    exercise: str
    max_points: float
    points: float | None  # given by a person
    extra: float | None  # extra credit
    waits: bool  # for a person, be it for the first time or again
    written: bool  # marked by hand alone; else it has automatic points, over which some were put
    empty: bool  # as released: nobody needs to look
    comment: str
    grade_id: str  # nbgrader's
    page: str  # a part of the address of formgrader's page


@dataclass(frozen=True)
class Copy:
    """A mark, and an equal answer that is to have it, too."""

    giver: HandMark
    taker: HandMark


def hand_marks(url: str, assignment_id: str) -> list[HandMark]:
    """Return all that a person marks or has to look at, by student. Raises `MarkingError`."""
    with _session(url) as session:
        return sorted(_hand_marks(session, assignment_id), key=lambda one: one.student)


def copy_marks(url: str, copies: Iterable[Copy], comments: bool = False) -> list[Copy]:
    """Give marks to equal answers that have none; return what was given.

    What has been marked meanwhile stays, and so does every comment that is there. With `comments`,
    those of the giver go along. Raises `MarkingError`, and then nothing was given.
    """
    from nbgrader.api import Grade

    done = []
    with _session(url) as session:
        for one in copies:
            given = {
                Grade.manual_score: one.giver.points,
                Grade.extra_credit: one.giver.extra,
                Grade.needs_manual_grade: False,
            }
            without = update(Grade).where(
                Grade.id == one.taker.grade_id,
                Grade.manual_score.is_(None),
                Grade.needs_manual_grade,
            )
            if session.connection().execute(without.values(given)).rowcount:
                done.append(one)
                if comments and one.giver.comment:
                    _comment_where_there_is_none(session, one)
        session.commit()
    return done


class GradedNotebooks:
    """The graded notebooks of a course, which formgrader shows."""

    def __init__(self, course: Course):
        from nbgrader.coursedir import CourseDirectory

        config = read_config(course.root)
        config.CourseDirectory.root = str(course.root)
        self.folders = CourseDirectory(config=config)
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


def _comment_where_there_is_none(session: Session, copy: Copy) -> None:
    from nbgrader.api import BaseCell, Comment

    cells = select(BaseCell.id).where(BaseCell.name == copy.taker.exercise)
    empty = update(Comment).where(
        Comment.notebook_id == copy.taker.page,
        Comment.cell_id.in_(cells),
        or_(Comment.manual_comment.is_(None), Comment.manual_comment == ""),
    )
    session.connection().execute(empty.values({Comment.manual_comment: copy.giver.comment}))


def _hand_marks(session: Session, assignment_id: str) -> Iterator[HandMark]:
    from nbgrader.api import BaseCell, Grade

    cells, comments = _marked_by_hand(session, assignment_id), comments_of(session, assignment_id)
    found = grades_of(assignment_id)
    for student, name, automatic, given, extra, most, waits, id, page in session.execute(
        found.where(or_(Grade.needs_manual_grade, BaseCell.name.in_(cells)))
    ):
        exercise = name.removeprefix(CHECK)
        yield HandMark(
            student=student,
            exercise=exercise,
            max_points=most,
            points=given,
            extra=extra,
            waits=waits,
            written=name in cells,
            empty=automatic is not None,
            comment=comments[student].get(exercise, ""),
            grade_id=id,
            page=page,
        )


def _marked_by_hand(session: Session, assignment_id: str) -> set[str]:
    """The names of the cells that a person marks."""
    from nbgrader.api import Assignment, Notebook, SolutionCell, TaskCell

    names: set[str] = set()
    for kind in (SolutionCell, TaskCell):
        of_notebook = select(kind.name).join(Notebook, kind.notebook_id == Notebook.id)
        names |= set(
            session.scalars(of_notebook.join(Assignment).where(Assignment.name == assignment_id))
        )
    return names


@contextmanager
def _session(url: str) -> Iterator[Session]:
    """A session of the gradebook. Raises `MarkingError`."""
    try:
        with open_session(url) as session:
            yield session
    except DATABASE_ERRORS as error:
        raise MarkingError(
            f"The gradebook cannot be used ({reason_of(error)}): mend that and try again."
        ) from error
