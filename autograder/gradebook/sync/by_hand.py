"""Write points and comments that a person gave into the gradebook, unless somebody else has written
others since they were read.

They go into nbgrader's own columns, because formgrader, feedback and totals read them only there.
The caller commits.
"""

from typing import Any

from nbgrader.api import BaseCell, Comment, Grade
from sqlalchemy import or_, select, update
from sqlalchemy.orm import Session

from autograder.gradebook.sync.marks import CellMark


def write_mark(session: Session, cell: CellMark, points: float | None, **more: Any) -> bool:
    """Write the points by hand of an answer; return whether that was done: `cell` is the mark as it
    was read, and nobody has changed it since.

    `more`: values of further columns of nbgrader's `Grade`. Nobody has to look at the answer any
    more, unless one of these is `needs_manual_grade`. Raises `SQLAlchemyError`.
    """
    before = Grade.manual_score
    change = update(Grade).where(
        Grade.id == cell.grade_id,
        Grade.needs_manual_grade == cell.is_open,
        before.is_(None) if cell.by_hand is None else before == cell.by_hand,
    )
    values = {"manual_score": points, "needs_manual_grade": False, **more}
    return bool(session.connection().execute(change.values(values)).rowcount)


def write_comment(
    session: Session, notebook_id: str, exercise: str, before: str, comment: str
) -> bool:
    """Write the comment on an answer, "" for none; return whether that was done: there was none, or
    the one that was read (`before`).

    `notebook_id`: of the student's notebook in nbgrader's database. Raises `SQLAlchemyError`.
    """
    said = Comment.manual_comment
    change = update(Comment).where(
        Comment.notebook_id == notebook_id,
        Comment.cell_id.in_(select(BaseCell.id).where(BaseCell.name == exercise)),
        or_(said.is_(None), said == before),
    )
    values = {Comment.manual_comment: comment or None}
    return bool(session.connection().execute(change.values(values)).rowcount)
