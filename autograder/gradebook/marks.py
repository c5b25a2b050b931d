"""What the gradebook holds of one assignment, by student, in three queries."""

import datetime
from dataclasses import dataclass

from sqlalchemy import Integer, cast, func, select
from sqlalchemy.orm import Session

from autograder.engine.course import Course, read_config
from autograder.gradebook.sessions import reading_session
from autograder.gradebook.url import find_gradebook, is_there


@dataclass(frozen=True)
class Mark:
    """One student's points in the gradebook."""

    automatic: float
    by_hand: float  # also what a person added to or took from automatic points
    penalty: float
    waiting: int  # written exercises that nobody has marked yet
    max_points: float  # of all exercises, those marked by hand included
    submitted: datetime.datetime | None  # as the gradebook has it: UTC
    name: str = ""
    email: str = ""


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


def read_marks(url: str, assignment: str) -> dict[str, Mark]:
    """Return what the gradebook holds of the assignment, by student. Raises `UnreadableGradebook`."""
    with reading_session(url) as session:
        return _marks(session, assignment)


def _marks(session: Session, assignment: str) -> dict[str, Mark]:
    from nbgrader.api import Assignment, Grade, Student, SubmittedAssignment, SubmittedNotebook

    owner = SubmittedAssignment.student_id
    ours = SubmittedAssignment.assignment_id == Assignment.id, Assignment.name == assignment
    points = (
        select(
            owner,
            func.coalesce(func.sum(Grade.auto_score), 0.0),
            func.coalesce(func.sum(Grade.score), 0.0),
            func.coalesce(func.sum(cast(Grade.needs_manual_grade, Integer)), 0),
        )
        .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .join(Grade, Grade.notebook_id == SubmittedNotebook.id)
        .where(*ours)
        .group_by(owner)
    )
    people = (
        select(
            owner,
            func.coalesce(func.sum(SubmittedNotebook.late_submission_penalty), 0.0),
            func.max(SubmittedAssignment.timestamp),
            func.max(Student.first_name),
            func.max(Student.last_name),
            func.max(Student.email),
        )
        .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .join(Student, Student.id == owner)
        .where(*ours)
        .group_by(owner)
    )
    whole = session.scalar(select(Assignment.max_score).where(Assignment.name == assignment))
    scores = {student: rest for student, *rest in session.execute(points)}
    marks = {}
    for student, penalty, submitted, first, last, email in session.execute(people):
        automatic, score, waiting = scores.get(student, (0.0, 0.0, 0))
        name = " ".join(part for part in (first, last) if part)
        marks[student] = Mark(
            automatic=automatic,
            by_hand=score - automatic,
            penalty=penalty,
            waiting=waiting,
            max_points=whole or 0.0,
            submitted=submitted,
            name=name,
            email=email or "",
        )
    return marks
