"""Our own tables in nbgrader's database, which nbgrader never reads: a row belongs to one grade."""

from nbgrader.api import Grade
from sqlalchemy import Float, String, Text, delete, inspect, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column
from sqlalchemy.schema import CreateTable

from autograder.engine import files


class OwnTable(DeclarativeBase):
    """The SQLAlchemy base class of our own tables, kept apart from nbgrader's."""

    grade_id: Mapped[str] = mapped_column(String(32), primary_key=True)  # of nbgrader's grade


class EnteredAnswer(OwnTable):
    """The current answer to a cell with points."""

    __tablename__ = "autograder_entered_answer"

    digest: Mapped[str] = mapped_column(String(files.LENGTH))
    text: Mapped[str] = mapped_column(Text)  # empty unless it is marked by hand alone


class MarkedAnswer(OwnTable):
    """An answer that a person marked. If another answer has replaced it, its mark counts nowhere,
    unless the answer comes back. Of the current answer, this is the mark that its group has: another
    one in the gradebook was given since.
    """

    __tablename__ = "autograder_marked_answer"

    digest: Mapped[str] = mapped_column(String(files.LENGTH), primary_key=True)
    text: Mapped[str] = mapped_column(Text)
    points: Mapped[float | None] = mapped_column(Float)
    extra: Mapped[float | None] = mapped_column(Float)
    comment: Mapped[str | None] = mapped_column(Text)
    number: Mapped[int]  # the highest of a grade was replaced last; 0: the current answer


OWN_TABLES: tuple[type[OwnTable], ...] = EnteredAnswer, MarkedAnswer


def create_table(db: Session, kind: type[OwnTable]) -> None:
    """Create one of our tables if it is missing. Raises `SQLAlchemyError`."""
    db.execute(CreateTable(kind.__table__, if_not_exists=True))  # type: ignore[arg-type]


def forget_rows_without_grade(db: Session) -> None:
    """Delete the rows of our tables on submissions that are no longer in the gradebook.

    This reads whole tables, so call it once in a run. Raises `SQLAlchemyError`.
    """
    for kind in OWN_TABLES:
        if inspect(db.connection()).has_table(kind.__tablename__):
            db.execute(delete(kind).where(~kind.grade_id.in_(select(Grade.id))))
