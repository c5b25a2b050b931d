"""Open the records of a course: `records.db` beside the folder of submissions, or tables in PostgreSQL
if the course's gradebook is there.

    with open_records(submitted) as records:              # to read
        runs = records.scalars(select(CollectRun))
    with open_records(submitted, write=True) as records:  # one transaction, undone by an exception
        records.add(CollectRun(...))
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Connection,
    Executable,
    String,
    create_engine,
    event,
    insert,
    inspect,
    select,
    text,
    update,
)
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import DeclarativeBase, Mapped, MappedAsDataclass, Session, mapped_column

from autograder.engine import AutograderError, courses, texts

RECORDS = "records.db"
# statements that migrate older tables, by new version and table
CHANGES: dict[int, dict[str, tuple[str, ...]]] = {
    2: {
        "received_sightings": (
            "ALTER TABLE received_sightings ADD COLUMN name TEXT NOT NULL DEFAULT ''",
        ),
        "submission_owners": (
            "ALTER TABLE submission_owners ADD COLUMN notebook VARCHAR(64) NOT NULL DEFAULT ''",
            "UPDATE submission_owners SET notebook = COALESCE((SELECT notebook FROM placements WHERE "
            "placements.assignment = submission_owners.assignment AND "
            "placements.submission_id = submission_owners.submission_id AND placements.student = "
            "submission_owners.student), (SELECT notebook FROM received_submissions WHERE "
            "received_submissions.id = submission_owners.submission_id))",
        ),
    },
    3: {
        "staff_times": (
            "ALTER TABLE staff_times ADD COLUMN was_replaced BOOLEAN NOT NULL DEFAULT FALSE",
        ),
    },
}
VERSION = max(CHANGES)  # of the tables
COMMENT = "of the tables in which autograder keeps records"
# Another command may be writing. Without the level None, Python's module for SQLite would begin
# transactions only at the first change, and never for `CREATE TABLE`.
OF_SQLITE = {"timeout": 30, "isolation_level": None}  # seconds
LONGEST_REASON = 300  # characters


class Record(MappedAsDataclass, DeclarativeBase):
    """Base class of all tables of records."""


class RecordsVersion(Record):
    """The version of the tables in this database, in a single row."""

    __tablename__ = "records_version"

    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    comment: Mapped[str] = mapped_column(String(80), default=COMMENT)


def records_url(submitted: Path) -> str:
    """Return the URL of the records of a folder of submissions. Raises `CourseError`."""
    root = submitted.absolute().parent
    if (root / courses.CONFIG).is_file():
        url = str(courses.read_config(root).CourseDirectory.get("db_url", ""))
        if url.startswith("postgresql"):
            return url
    return f"sqlite:///{root / RECORDS}"


@contextmanager
def open_records(submitted: Path, write: bool = False) -> Iterator[Session]:
    """Yield a session on the records of a folder of submissions.

    Without `write`, nothing is created, and missing records are an empty database in memory. With
    `write`, the block is a transaction. It is committed at the end of the block, and undone if the
    block raises.

    Raises `AutograderError` if the database is unusable, or if a newer version of this program
    wrote it.
    """
    url = records_url(submitted)
    is_sqlite = url.startswith("sqlite")
    file = Path(url.removeprefix("sqlite:///"))
    in_memory = is_sqlite and not write and not file.exists()
    if in_memory:
        url = "sqlite://"
    elif is_sqlite and not file.exists():
        file.touch()  # SQLite itself would not give permission to the group
    engine = create_engine(url, connect_args=OF_SQLITE if is_sqlite else {})
    if is_sqlite:
        event.listen(engine, "begin", partial(_begin, write=write))
    try:
        with Session(engine, expire_on_commit=False) as session:
            if write or in_memory:
                _prepare(session.connection())
            elif not _is_prepared(session.connection()):
                session.rollback()  # a reading transaction would block the migration
                with open_records(submitted, write=True):
                    pass
            yield session
            if write:
                session.commit()
    except SQLAlchemyError as error:
        raise _unusable(engine.url.render_as_string(), error) from error
    finally:
        engine.dispose()


def _unusable(url: str, error: SQLAlchemyError) -> AutograderError:
    reason = texts.first_line(getattr(error, "orig", None) or error, LONGEST_REASON)
    return AutograderError(
        f"The records in `{url}` cannot be used ({reason}). Nothing was changed: mend that and try "
        "again.",
        texts.FAILED,
    )


def read_rows(submitted: Path, query: Executable) -> Sequence[Any]:
    """Return the rows of a query on the records. Raises `AutograderError`."""
    with open_records(submitted) as records:
        return records.execute(query).all()


def _begin(connection: Connection, write: bool) -> None:
    """Begin a transaction for SQLAlchemy. A writing one is exclusive from the start."""
    connection.exec_driver_sql(
        "PRAGMA secure_delete = ON"
    )  # deleted students leave no bytes behind
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


def _is_prepared(connection: Connection) -> bool:
    """Whether all tables exist in their current form."""
    tables = inspect(connection).get_table_names()
    has_all = {*Record.metadata.tables} <= {*tables}
    return has_all and _version(connection, tables) == VERSION


def _version(connection: Connection, tables: Collection[str]) -> int:
    """Return the version of these tables. Raises `AutograderError` for a newer program's."""
    is_new = RecordsVersion.__tablename__ not in tables
    version = VERSION if is_new else connection.scalar(select(RecordsVersion.version)) or VERSION
    if version > VERSION:
        raise AutograderError(
            f"A newer version of this program wrote the records `{connection.engine.url.database}`: "
            "update this one."
        )
    return version


def _prepare(connection: Connection) -> None:
    """Create missing tables, and migrate those of an earlier version."""
    tables = inspect(connection).get_table_names()
    is_new = RecordsVersion.__tablename__ not in tables
    version = _version(connection, tables)
    Record.metadata.create_all(connection)
    if is_new:
        connection.execute(insert(RecordsVersion).values(version=VERSION, comment=COMMENT))
    for later in range(version + 1, VERSION + 1):
        for table, statements in CHANGES[later].items():
            # new tables have current columns
            for statement in statements if table in tables else ():
                connection.execute(text(statement))
        connection.execute(update(RecordsVersion).values(version=later))
