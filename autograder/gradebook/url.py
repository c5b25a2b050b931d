"""Whether a gradebook opens, said in a sentence before anything is graded."""

import os
from pathlib import Path

from sqlalchemy import URL, create_engine, inspect, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError

from autograder.errors import CommandError

LIKE = "like postgresql://NAME:PASSWORD@HOST/DATABASE or sqlite:////FOLDER/gradebook.db"
LOCKED = "database is locked"  # SQLite's words, while formgrader writes
LOCK_NOT_AVAILABLE = "55P03"  # PostgreSQL's
WAIT_SECONDS = 10  # for a host that never answers, and for PostgreSQL's locks
WHAT_TO_DO = "Mend that, name another with --gradebook, or grade with --no-gradebook."


class NoGradebook(CommandError):
    """The gradebook cannot be used; the message says why, and never the password."""


def limit_waiting() -> None:
    """Have PostgreSQL give up waiting for a lock, as SQLite does: else it waits without end."""
    os.environ.setdefault("PGOPTIONS", f"-c lock_timeout={WAIT_SECONDS}s")


def is_locked(error: Exception) -> bool:
    """Whether another program has locked the gradebook for the moment, as formgrader does to write."""
    state = getattr(getattr(error, "orig", None), "sqlstate", None)
    return state == LOCK_NOT_AVAILABLE or LOCKED in str(error)


def check_gradebook(address: str) -> None:
    """Open the gradebook and, as far as that can be tried, see whether its tables can be made.

    Nothing is made: nbgrader does that when the first points go in. A lock is no error: it will be
    gone by then. Raises `NoGradebook`.
    """
    url = read_url(address)
    if url.get_backend_name() == "sqlite" and not url.query:
        if url.database in (None, "", ":memory:"):
            raise NoGradebook(f"A gradebook in memory keeps nothing: name a file, {LIKE}.")
        file = Path(url.database)
        if not file.parent.is_dir():
            raise NoGradebook(f"There is no folder `{file.parent}` for the gradebook. {WHAT_TO_DO}")
        if not file.exists():
            return
    try:
        _open(url)
    except (SQLAlchemyError, UnicodeError) as error:
        if is_locked(error):
            return
        raise NoGradebook(
            f"The gradebook `{url.render_as_string()}` does not open: {_reason(error)}. {WHAT_TO_DO}"
        ) from error


def _open(url: URL) -> None:
    needs_timeout = url.get_driver_name() == "psycopg" and "connect_timeout" not in url.query
    options = {"connect_timeout": WAIT_SECONDS} if needs_timeout else {}
    engine = create_engine(url, connect_args=options)
    try:
        with engine.connect() as connection:
            inspect(connection).get_table_names()
            if url.get_backend_name() == "postgresql":  # where making a table can be undone, too
                from nbgrader.api import Base  # takes a second to import

                Base.metadata.create_all(connection)
                connection.rollback()
    finally:
        engine.dispose()


def read_url(address: str) -> URL:
    """Return the address as SQLAlchemy reads it, if its driver is there. Raises `NoGradebook`."""
    try:
        url = make_url(address)
        create_engine(url)
    except NoSuchModuleError as error:
        what = make_url(address).drivername
        raise NoGradebook(f"No database is called `{what}`: an address is {LIKE}.") from error
    except ImportError as error:
        what = error.name or str(error).splitlines()[0]
        raise NoGradebook(
            f"The gradebook's address asks for the Python package `{what}`, which is not installed: "
            "install it, or leave the driver to us (postgresql://...)."
        ) from error
    except (ArgumentError, ValueError, TypeError) as error:
        raise NoGradebook(f"The gradebook's address cannot be read: it is {LIKE}.") from error
    return url


def find_gradebook(address: str) -> str:
    """Return the address of a gradebook that is there. Raises `NoGradebook`."""
    if not is_there(address):
        raise NoGradebook(f"There is no gradebook `{address}`.")
    return address


def is_there(address: str) -> bool:
    """Whether a database can be asked, without making an empty one: a file must be there already.

    Raises `NoGradebook`.
    """
    url = read_url(address)
    in_file = url.get_backend_name() == "sqlite"
    return not in_file or (bool(url.database) and Path(str(url.database)).is_file())


def _reason(error: Exception) -> str:
    """The database's own words, in one line."""
    words = str(error.orig if isinstance(error, DBAPIError) else error)
    line = next(iter(words.strip().splitlines()), type(error).__name__)
    return " ".join(line.rpartition("FATAL:")[2].split()).rstrip(".")
