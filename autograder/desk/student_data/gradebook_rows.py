"""Find and delete a student's rows in the tables of a gradebook, including its free pages."""

from nbgrader.api import Comment, Grade, Student, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import delete, inspect, select, text

from autograder.gradebook.sync.database import open_session, read_url
from autograder.gradebook.sync.own_tables import OWN_TABLES

SQLITE = b"SQLite format 3\0"
REMEDY = "close formgrader, and run this again"


def has_rows(url: str, student: str) -> bool:
    """Whether the gradebook at this URL has a student. Raises `AutograderError` if it cannot be
    used.
    """
    with open_session(url, REMEDY) as session:
        if not inspect(session.connection()).has_table(Student.__tablename__):
            return False
        return student in session.scalars(select(Student.id).where(Student.id == student))


def delete_rows(url: str, student: str) -> None:
    """Delete all rows of a student in the gradebook at this URL, in a single transaction. The file
    of the database keeps no copy of these or earlier deleted rows. Raises `AutograderError` if the
    gradebook cannot be used.
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
    }  # each table after those that refer to it
    with open_session(url, REMEDY) as session:
        existing = inspect(session.connection()).get_table_names()
        for table, condition in rows.items():
            if table.name in existing:
                session.execute(delete(table).where(condition))
        session.commit()
    vacuum(url)


def vacuum(url: str) -> None:
    """Write the file of an SQLite database at this URL anew, so that its free pages hold no deleted
    rows. Raises `AutograderError` if the database cannot be used.
    """
    if read_url(url).get_backend_name() == "sqlite":
        with open_session(url, REMEDY) as session:
            plain = {"isolation_level": "AUTOCOMMIT"}
            session.connection(execution_options=plain).execute(text("VACUUM"))
