"""Find and open the gradebook's database, and explain problems."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nbgrader import api
from nbgrader.coursedir import CourseDirectory
from nbgrader.dbutil import _temp_alembic_ini
from sqlalchemy import URL, create_engine, inspect, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.orm import Session

from autograder.engine import AutograderError, Course, courses, texts

LIKE = "like postgresql://NAME:PASSWORD@HOST/DATABASE or sqlite:////FOLDER/gradebook.db"
LOCKED = "database is locked"  # SQLite's words, while formgrader writes
LOCK_NOT_AVAILABLE = "55P03"  # PostgreSQL's
WAIT_SECONDS = 10  # for an unresponsive host, and for PostgreSQL's locks
LONGEST_REASON = 300  # characters
TRY_AGAIN = "mend that and try again"  # the end of a sentence
WHAT_TO_DO = "Mend that, name another with --gradebook, or grade with --no-gradebook."


def limit_waiting() -> None:
    """Set a lock timeout for PostgreSQL connections, which have none by default."""
    os.environ.setdefault("PGOPTIONS", f"-c lock_timeout={WAIT_SECONDS}s")


def is_locked(error: Exception) -> bool:
    """Whether another program, such as formgrader, has locked the gradebook."""
    state = getattr(getattr(error, "orig", None), "sqlstate", None)
    return state == LOCK_NOT_AVAILABLE or LOCKED in str(error)


def reason_of(error: Exception) -> str:
    """Return the database's own error message as one line."""
    words = texts.first_line(getattr(error, "orig", None) or error, LONGEST_REASON)
    return words.rpartition("FATAL:")[2].strip().rstrip(".")


def gradebook_of(course: Course | None, address: str | None = None) -> str | None:
    """Return the URL of the gradebook: `address` if given, else that in the course's
    configuration. None without either, or if the course's does not exist yet.

    Raises `AutograderError` if there is no database at the given address or a URL is invalid,
    `CourseError` if the course's configuration cannot be read.
    """
    url = address or (folders_of(course).db_url if course else None)
    if url and _is_there(url):
        return url
    if address:
        raise AutograderError(f"There is no gradebook `{read_url(address).render_as_string()}`.")
    return None


def folders_of(course: Course) -> CourseDirectory:
    """Return nbgrader's `CourseDirectory` of the course. Raises `CourseError`."""
    config = courses.read_config(course.root)
    config.CourseDirectory.root = str(course.root)
    return CourseDirectory(config=config)


def check_gradebook(address: str) -> None:
    """Open the gradebook at this URL and check, as far as possible, that its tables can be
    created.

    Nothing is created, because nbgrader does that when the first points are entered. A locked
    database passes. Raises `AutograderError` if the gradebook is unusable.
    """
    url = read_url(address)
    if url.get_backend_name() == "sqlite" and not url.query:
        if url.database in (None, "", ":memory:"):
            raise AutograderError(f"A gradebook in memory keeps nothing: name a file, {LIKE}.")
        file = Path(url.database)
        if not file.parent.is_dir():
            raise AutograderError(
                f"There is no folder `{file.parent}` for the gradebook. {WHAT_TO_DO}"
            )
        if not file.exists():
            return
    try:
        with _opened(url) as session:
            connection = session.connection()
            inspect(connection).get_table_names()
            if url.get_backend_name() == "postgresql":  # only PostgreSQL can roll back new tables
                api.Base.metadata.create_all(connection)
                session.rollback()
    except (SQLAlchemyError, UnicodeError) as error:
        if not is_locked(error):
            raise AutograderError(
                f"The gradebook `{url.render_as_string()}` does not open: {reason_of(error)}. "
                f"{WHAT_TO_DO}"
            ) from error


@contextmanager
def open_session(
    address: str, remedy: str = "mend that, or say --no-gradebook"
) -> Iterator[Session]:
    """Yield an SQLAlchemy session on the existing gradebook at this URL. Unlike nbgrader's, it
    creates no tables.

    Raises `AutograderError` if the URL is invalid, or if any use of the database in the block
    fails. `remedy`: the next step, as the end of the error message.
    """
    try:
        with _opened(read_url(address)) as session:
            yield session
    except SQLAlchemyError as error:
        raise AutograderError(
            f"The gradebook cannot be used ({reason_of(error)}): {remedy}.", texts.FAILED
        ) from error


@contextmanager
def _opened(url: URL) -> Iterator[Session]:
    """Yield a session on the database, and close all connections after it."""
    needs_timeout = url.get_driver_name() == "psycopg" and "connect_timeout" not in url.query
    options = {"connect_timeout": WAIT_SECONDS} if needs_timeout else {}
    engine = create_engine(url, connect_args=options)
    try:
        with Session(engine) as session:
            yield session
    finally:
        engine.dispose()


def read_url(address: str) -> URL:
    """Parse a database URL. Raises `AutograderError` if it is invalid or lacks a driver."""
    try:
        url = make_url(address)
        create_engine(url)
    except NoSuchModuleError as error:
        name = make_url(address).drivername
        raise AutograderError(f"No database is called `{name}`: an address is {LIKE}.") from error
    except ImportError as error:
        name = error.name or str(error).splitlines()[0]
        raise AutograderError(
            f"The gradebook's address asks for the Python package `{name}`, which is not installed: "
            "install it, or write postgresql://..., for which `pip install 'autograder[postgres]'` brings all."
        ) from error
    except (ArgumentError, ValueError, TypeError) as error:
        raise AutograderError(f"The gradebook's address cannot be read: it is {LIKE}.") from error
    return url


def _is_there(address: str) -> bool:
    """Whether the database has nbgrader's tables. True on failure, which is reported later."""
    url = read_url(address)
    in_file = url.get_backend_name() == "sqlite"
    if in_file and not (url.database and Path(url.database).is_file()):
        return False
    try:
        with _opened(url) as session:
            return inspect(session.connection()).has_table(api.Assignment.__tablename__)
    except (SQLAlchemyError, UnicodeError):
        return True


def schema_version() -> str:
    """Return the newest version of nbgrader's database schema, from its migrations."""
    from alembic.config import Config  # takes 0.2 s, only needed for a new gradebook
    from alembic.script import ScriptDirectory

    with _temp_alembic_ini("sqlite://") as file:
        head = ScriptDirectory.from_config(Config(file)).get_current_head()
    assert head, "nbgrader has migrations, and one newest of them"
    return head


# nbgrader starts the program `alembic` for each new gradebook. Its imports take two seconds, and the
# program is not found unless our environment is activated
api.get_alembic_version = schema_version
