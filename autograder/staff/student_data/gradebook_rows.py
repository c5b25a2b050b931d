"""One student's rows in all tables of a gradebook: counted, deleted, and overwritten in the file."""

from nbgrader.api import Comment, Grade, Student, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import ColumnElement, delete, func, inspect, select, text
from sqlalchemy.orm import DeclarativeBase, Session

from autograder.gradebook.answers import EnteredAnswer
from autograder.gradebook.database import open_session, read_url

SQLITE = b"SQLite format 3\0"
REMEDY = "close formgrader, and run this again"


def count_rows(url: str, student: str) -> int:
    """Return how many rows of the gradebook at this URL are about a student. Raises `CommandError`
    if it cannot be used.
    """
    with open_session(url, REMEDY) as session:
        return sum(
            session.scalar(select(func.count()).select_from(table).where(theirs)) or 0
            for table, theirs in _theirs(session, student)
        )


def delete_rows(url: str, student: str) -> None:
    """Delete all that the gradebook at this URL has of a student, in one transaction. A database in
    a file keeps no copy of it, also not of what was deleted earlier.

    Raises `CommandError` if it cannot be used; then nothing is deleted.
    """
    with open_session(url, REMEDY) as session:
        in_file = read_url(url).get_backend_name() == "sqlite"
        if in_file:
            session.execute(text("PRAGMA secure_delete = ON"))
        for table, theirs in _theirs(session, student):
            session.execute(
                delete(table).where(theirs), execution_options={"synchronize_session": False}
            )
        session.commit()
        if in_file:
            connection = session.connection(execution_options={"isolation_level": "AUTOCOMMIT"})
            connection.execute(text("VACUUM"))


def _theirs(
    session: Session, student: str
) -> list[tuple[type[DeclarativeBase], ColumnElement[bool]]]:
    """Return the tables that a gradebook has, each with the condition for a student's rows, in an
    order in which they can be deleted.
    """
    submitted = select(SubmittedAssignment.id).where(SubmittedAssignment.student_id == student)
    notebooks = select(SubmittedNotebook.id).where(SubmittedNotebook.assignment_id.in_(submitted))
    grades = select(Grade.id).where(Grade.notebook_id.in_(notebooks))
    tables = {
        EnteredAnswer: EnteredAnswer.grade_id.in_(grades),
        Comment: Comment.notebook_id.in_(notebooks),
        Grade: Grade.notebook_id.in_(notebooks),
        SubmittedNotebook: SubmittedNotebook.assignment_id.in_(submitted),
        SubmittedAssignment: SubmittedAssignment.student_id == student,
        Student: Student.id == student,
    }
    there = inspect(session.connection())
    return [(table, one) for table, one in tables.items() if there.has_table(table.__tablename__)]
