"""Write points and comments by hand into the gradebook, unless another person has changed them
since they were read.

They go into nbgrader's own columns, because formgrader, feedback and totals read only those. The
caller commits.
"""

from typing import Any

from nbgrader.api import BaseCell, Comment, Grade
from sqlalchemy import or_, select, update
from sqlalchemy.orm import Session

from autograder.gradebook.sync.marks import CellMark


def write_mark(session: Session, cell: CellMark, points: float | None, **columns: Any) -> bool:
    """Write the points by hand of an answer. Return False, with nothing written, if the mark has
    changed since `cell` was read.

    `columns`: values of further columns of nbgrader's `Grade`. The answer no longer needs marking,
    unless `columns` sets `needs_manual_grade`. Raises `SQLAlchemyError`.
    """
    points_column = Grade.manual_score
    change = update(Grade).where(
        Grade.id == cell.grade_id,
        Grade.needs_manual_grade == cell.is_open,
        points_column.is_(None) if cell.by_hand is None else points_column == cell.by_hand,
    )
    values = {"manual_score": points, "needs_manual_grade": False, **columns}
    return bool(session.connection().execute(change.values(values)).rowcount)


def write_comment(
    session: Session, notebook_id: str, exercise: str, before: str, comment: str
) -> bool:
    """Write the comment on an answer, "" for none. Return False, with nothing written, if the
    comment is neither empty nor `before`, the comment that was read.

    `notebook_id`: id of the student's notebook in nbgrader's database. Raises `SQLAlchemyError`.
    """
    comment_column = Comment.manual_comment
    change = update(Comment).where(
        Comment.notebook_id == notebook_id,
        Comment.cell_id.in_(select(BaseCell.id).where(BaseCell.name == exercise)),
        or_(comment_column.is_(None), comment_column == before),
    )
    values = {Comment.manual_comment: comment or None}
    return bool(session.connection().execute(change.values(values)).rowcount)
