"""What the gradebook holds of one assignment, by student: marks, comments, times, penalties."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from autograder.engine.course import Course, read_config
from autograder.gradebook.sessions import reading_session
from autograder.gradebook.url import find_gradebook, is_there


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
    comments: Mapping[str, str] = field(default_factory=dict)  # a person's, by cell
    name: str = ""
    email: str = ""

    @property
    def points(self) -> float:
        return sum(cell.points for cell in self.cells)

    @property
    def max_points(self) -> float:
        return sum(cell.max_points for cell in self.cells)

    @property
    def automatic(self) -> float:
        return sum(cell.automatic or 0.0 for cell in self.cells)

    @property
    def by_hand(self) -> float:
        """Also what a person added to or took from automatic points."""
        return self.points - self.automatic

    @property
    def waiting(self) -> int:
        """How many cells nobody has marked yet."""
        return sum(cell.is_open for cell in self.cells)


def gradebook_of(course: Course | None, address: str | None = None) -> str | None:
    """Return the URL of the gradebook at this address, or of the course's; None where it has none yet.

    Raises `NoCourse`, and `NoGradebook` where there is none at the address, or the configuration has
    no URL of a database.
    """
    if address:
        return find_gradebook(address)
    if course is None:
        return None
    from nbgrader.coursedir import CourseDirectory

    config = read_config(course.root)
    config.CourseDirectory.root = str(course.root)
    url = CourseDirectory(config=config).db_url
    return url if is_there(url) else None


def read_marks(url: str, assignment: str, student: str | None = None) -> dict[str, StudentMarks]:
    """Return what the gradebook holds of the assignment, by student, be it of one only.

    Raises `UnreadableGradebook`.
    """
    with reading_session(url) as session:
        return _marks(session, assignment, student)


def read_student_marks(url: str, assignment: str, student: str) -> StudentMarks | None:
    """Return what the gradebook holds of this submission, None where it has none of it.

    Raises `UnreadableGradebook`.
    """
    return read_marks(url, assignment, student).get(student)


def read_names(url: str) -> dict[str, tuple[str, str]]:
    """Return name and e-mail of everybody in the gradebook, by id. Raises `UnreadableGradebook`."""
    with reading_session(url) as session:
        from nbgrader.api import Student

        return {
            one.id: (_name(one.first_name, one.last_name), one.email or "")
            for one in session.scalars(select(Student))
        }


def _marks(session: Session, assignment: str, student: str | None) -> dict[str, StudentMarks]:
    from nbgrader.api import Assignment, Student, SubmittedAssignment, SubmittedNotebook

    cells, comments = defaultdict(list), comments_of(session, assignment, student)
    for id, name, auto, manual, extra, most, waits, *_ in session.execute(
        grades_of(assignment, student)
    ):
        cells[id].append(CellMark(name, most, auto, manual, extra or 0.0, waits))
    late = SubmittedAssignment.timestamp, Assignment.duedate
    names = Student.first_name, Student.last_name, Student.email
    penalty = SubmittedNotebook.late_submission_penalty
    found = select(SubmittedAssignment.student_id, penalty, *late, *names)
    found = found.select_from(SubmittedNotebook)
    marks: dict[str, StudentMarks] = {}
    for id, less, submitted, due, first, last, email in session.execute(
        of_assignment(found, assignment, student).join(
            Student, Student.id == SubmittedAssignment.student_id
        )
    ):
        marks[id] = StudentMarks(
            submitted=submitted,
            due=due,
            penalty=(less or 0.0) + (marks[id].penalty if id in marks else 0.0),
            cells=sorted(cells[id], key=lambda cell: cell.name),
            comments=comments[id],
            name=_name(first, last),
            email=email or "",
        )
    return marks


def grades_of(assignment: str, student: str | None = None) -> Select:
    """Select all grades: student, cell, points by the checks, by hand, extra, at most, whether they
    wait for a person, and the ids of grade and notebook.
    """
    from nbgrader.api import BaseCell, Grade, SubmittedAssignment, SubmittedNotebook

    given = Grade.auto_score, Grade.manual_score, Grade.extra_credit, Grade.max_score
    found = (
        select(SubmittedAssignment.student_id, BaseCell.name, *given)
        .add_columns(Grade.needs_manual_grade, Grade.id, Grade.notebook_id)
        .join(SubmittedNotebook, Grade.notebook_id == SubmittedNotebook.id)
        .join(BaseCell, Grade.cell_id == BaseCell.id)
    )
    return of_assignment(found, assignment, student)


def comments_of(
    session: Session, assignment: str, student: str | None = None
) -> Mapping[str, dict[str, str]]:
    """Return what persons wrote, by student and cell."""
    from nbgrader.api import BaseCell, Comment, SubmittedAssignment, SubmittedNotebook

    said = (
        select(SubmittedAssignment.student_id, BaseCell.name, Comment.manual_comment)
        .join(SubmittedNotebook, Comment.notebook_id == SubmittedNotebook.id)
        .join(BaseCell, Comment.cell_id == BaseCell.id)
        .where(Comment.manual_comment != "")
    )
    comments: Mapping[str, dict[str, str]] = defaultdict(dict)
    for id, cell, text in session.execute(of_assignment(said, assignment, student)):
        comments[id][cell] = text
    return comments


def of_assignment(query: Select, assignment: str, student: str | None = None) -> Select:
    """Of a query that has joined submitted notebooks, what belongs to this assignment and student."""
    from nbgrader.api import Assignment, SubmittedAssignment, SubmittedNotebook

    query = query.join(
        SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id
    ).join(Assignment, SubmittedAssignment.assignment_id == Assignment.id)
    query = query.where(Assignment.name == assignment)
    return query if student is None else query.where(SubmittedAssignment.student_id == student)


def _name(first: str | None, last: str | None) -> str:
    return " ".join(filter(None, (first, last)))
