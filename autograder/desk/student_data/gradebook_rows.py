"""One student's rows in the tables of a gradebook: found, and deleted also from its free pages."""

from nbgrader.api import Comment, Grade, Student, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import delete, inspect, select, text

from autograder.gradebook.sync.database import open_session, read_url
from autograder.gradebook.sync.own_tables import OWN_TABLES

SQLITE = b"SQLite format 3\0"
REMEDY = "close formgrader, and run this again"


def has_rows(url: str, student: str) -> bool:
    """Whether the gradebook at this URL has a student. Raises `AutograderError` if it cannot be used."""
    with open_session(url, REMEDY) as session:
        if not inspect(session.connection()).has_table(Student.__tablename__):
            return False
        return student in session.scalars(select(Student.id).where(Student.id == student))


def delete_rows(url: str, student: str) -> None:
    """Delete all that the gradebook at this URL has of a student, in one transaction. A database in
    a file keeps no copy of it, also not of what was deleted earlier.

    Raises `AutograderError` if it cannot be used.
    """
    submitted = select(SubmittedAssignment.id).where(SubmittedAssignment.student_id == student)
    notebooks = select(SubmittedNotebook.id).where(SubmittedNotebook.assignment_id.in_(submitted))
    grades = select(Grade.id).where(Grade.notebook_id.in_(notebooks))
    rows = {
        **{kind.__table__: kind.grade_id.in_(grades) for kind in OWN_TABLES},
        Comment.__table__: Comment.notebook_id.in_(notebooks),
        Grade.__table__: Grade.notebook_id.in_(notebooks),
        SubmittedNotebook.__table__: SubmittedNotebook.assignment_id.in_(submitted),
        SubmittedAssignment.__table__: SubmittedAssignment.student_id == student,
        Student.__table__: Student.id == student,
    }  # each after those that refer to it
    with open_session(url, REMEDY) as session:
        there = inspect(session.connection()).get_table_names()
        for table, theirs in rows.items():
            if table.name in there:
                session.execute(delete(table).where(theirs))
        session.commit()
    vacuum(url)


def vacuum(url: str) -> None:
    """Write the file of the database at this URL anew, so that its free pages hold nothing; only
    SQLite has one. Raises `AutograderError` if it cannot be used.
    """
    if read_url(url).get_backend_name() == "sqlite":
        with open_session(url, REMEDY) as session:
            plain = {"isolation_level": "AUTOCOMMIT"}
            session.connection(execution_options=plain).execute(text("VACUUM"))
