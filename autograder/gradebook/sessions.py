"""Sessions of a gradebook's database, and what it says of itself where it cannot be used."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import create_engine
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from autograder.errors import FAILED, CommandError
from autograder.text import first_line

LONGEST_REASON = 300  # characters
DATABASE_ERRORS = SQLAlchemyError, ImportError  # the latter where its driver is missing


class UnreadableGradebook(CommandError):
    """The gradebook is there, but cannot be read; the message says why."""

    status = FAILED


@contextmanager
def open_session(url: str) -> Iterator[Session]:
    """A session; nbgrader's own would make tables where there are none. Raises `DATABASE_ERRORS`."""
    engine = create_engine(url)
    try:
        with Session(engine) as session:
            yield session
    finally:
        engine.dispose()


@contextmanager
def reading_session(url: str) -> Iterator[Session]:
    """A session that only reads. Raises `UnreadableGradebook`."""
    try:
        with open_session(url) as session:
            yield session
    except DATABASE_ERRORS as error:
        raise UnreadableGradebook(
            f"The gradebook cannot be read ({reason_of(error)}): mend that, or say --no-gradebook."
        ) from error


def reason_of(error: Exception) -> str:
    """Return the database's own words, in one line."""
    return first_line(getattr(error, "orig", None) or error, LONGEST_REASON)
