"""What the gradebook holds of one student's submission: each exercise's mark, comment and penalty."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from autograder.gradebook.sessions import reading_session


@dataclass(frozen=True)
class CellMark:
    """One cell with points."""

    name: str  # nbgrader's `grade_id`
    max_points: float
    automatic: float | None  # None: a person marks it
    by_hand: float | None  # None: nobody has given anything else
    extra: float
    is_open: bool  # nobody has marked it yet

    @property
    def points(self) -> float:
        """What counts: a person's mark before the checks'."""
        given = self.automatic if self.by_hand is None else self.by_hand
        return (given or 0.0) + self.extra


@dataclass(frozen=True)
class StudentMarks:
    """One submission in the gradebook. Times are UTC, without a zone."""

    submitted: datetime | None
    due: datetime | None
    penalty: float
    cells: list[CellMark] = field(default_factory=list)  # by name
    comments: dict[str, str] = field(default_factory=dict)  # a person's, by cell
    extended: timedelta | None = None  # by the gradebook's extension

    @property
    def points(self) -> float:
        return sum(cell.points for cell in self.cells)

    @property
    def max_points(self) -> float:
        return sum(cell.max_points for cell in self.cells)


def read_student_marks(url: str, assignment: str, student: str) -> StudentMarks | None:
    """Return what the gradebook holds of this submission, None where it has none of it.

    Raises `UnreadableGradebook`.
    """
    with reading_session(url) as session:
        return _marks(session, assignment, student)


def read_names(url: str) -> dict[str, tuple[str, str]]:
    """Return name and e-mail of everybody in the gradebook, by id. Raises `UnreadableGradebook`."""
    with reading_session(url) as session:
        from nbgrader.api import Student

        return {
            one.id: (" ".join(filter(None, (one.first_name, one.last_name))), one.email or "")
            for one in session.scalars(select(Student))
        }


def _marks(session: Session, assignment: str, student: str) -> StudentMarks | None:
    from nbgrader.api import Assignment, SubmittedAssignment

    query = select(SubmittedAssignment).join(
        Assignment, SubmittedAssignment.assignment_id == Assignment.id
    )
    found = session.scalars(
        query.where(Assignment.name == assignment, SubmittedAssignment.student_id == student)
    ).first()
    if found is None:
        return None
    grades = [grade for one in found.notebooks for grade in one.grades]
    said = [comment for one in found.notebooks for comment in one.comments]
    return StudentMarks(
        submitted=found.timestamp,
        due=found.assignment.duedate,
        penalty=sum(one.late_submission_penalty or 0.0 for one in found.notebooks),
        extended=found.extension,
        cells=sorted(map(_cell, grades), key=lambda cell: cell.name),
        comments={one.name: one.manual_comment for one in said if one.manual_comment},
    )


def _cell(grade) -> CellMark:
    return CellMark(
        name=grade.cell.name,
        max_points=grade.cell.max_score,
        automatic=grade.auto_score,
        by_hand=grade.manual_score,
        extra=grade.extra_credit or 0.0,
        is_open=grade.needs_manual_grade,
    )
