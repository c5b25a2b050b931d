"""Our own tables in nbgrader's database, which nbgrader never reads, with rows for grades."""

from nbgrader.api import Grade
from sqlalchemy import Float, String, Text, delete, inspect, select, text
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column
from sqlalchemy.schema import CreateTable

from autograder.engine import files

OWNER = "ADD COLUMN owner VARCHAR(64) NOT NULL DEFAULT ''"


class OwnTable(DeclarativeBase):
    """SQLAlchemy base class of our own tables, separate from nbgrader's."""

    grade_id: Mapped[str] = mapped_column(String(32), primary_key=True)  # of nbgrader's grade


class EnteredAnswer(OwnTable):
    """The current answer to a cell with points. `owner` is "" for rows of earlier versions."""

    __tablename__ = "autograder_entered_answer"

    digest: Mapped[str] = mapped_column(String(files.LENGTH))
    owner: Mapped[str] = mapped_column(String(64))
    text: Mapped[str] = mapped_column(Text)  # empty unless the cell is graded by hand only


class MarkedAnswer(OwnTable):
    """An answer marked by a person. The mark of a replaced answer counts only if the answer
    returns. The row of the current answer has the mark of its group, so a different mark in the
    gradebook is newer.

    `owner`: the student or group that submitted it. "" if an earlier version wrote the row, or if
    the owner no longer has this answer. Then it counts for the current owner.
    """

    __tablename__ = "autograder_answer_mark"

    digest: Mapped[str] = mapped_column(String(files.LENGTH), primary_key=True)
    owner: Mapped[str] = mapped_column(String(64), primary_key=True)
    text: Mapped[str] = mapped_column(Text)
    points: Mapped[float | None] = mapped_column(Float)
    extra: Mapped[float | None] = mapped_column(Float)
    comment: Mapped[str | None] = mapped_column(Text)
    number: Mapped[int]  # order of replacement within a grade, 0 for the current answer

    @property
    def has_points(self) -> bool:
        """Whether points or extra credit were given, not just a comment."""
        return self.points is not None or bool(self.extra)


OWN_TABLES: tuple[type[OwnTable], ...] = EnteredAnswer, MarkedAnswer
WITHOUT_OWNER = "autograder_marked_answer"  # the table of marked answers in earlier versions


def prepare_tables(db: Session) -> None:
    """Create missing tables, and migrate those of an earlier version. Raises `SQLAlchemyError`."""
    tables = inspect(db.connection())
    existing = {*tables.get_table_names()}
    for kind in OWN_TABLES:
        if kind.__tablename__ not in existing:
            db.execute(CreateTable(kind.__table__, if_not_exists=True))  # type: ignore[arg-type]
    answers = EnteredAnswer.__tablename__
    if answers in existing and "owner" not in [
        column["name"] for column in tables.get_columns(answers)
    ]:
        db.execute(text(f"ALTER TABLE {answers} {OWNER}"))
    if WITHOUT_OWNER in existing:
        db.execute(text(f"ALTER TABLE {WITHOUT_OWNER} {OWNER}"))
        columns = ", ".join(column.name for column in MarkedAnswer.__table__.columns)
        marks = MarkedAnswer.__tablename__
        db.execute(text(f"INSERT INTO {marks} ({columns}) SELECT {columns} FROM {WITHOUT_OWNER}"))
        db.execute(text(f"DROP TABLE {WITHOUT_OWNER}"))


def forget_rows_without_grade(db: Session) -> None:
    """Delete the rows of our tables on submissions without a grade in the gradebook.

    This reads whole tables, so call it once in a run. Raises `SQLAlchemyError`.
    """
    prepare_tables(db)
    for kind in OWN_TABLES:
        db.execute(delete(kind).where(~kind.grade_id.in_(select(Grade.id))))
