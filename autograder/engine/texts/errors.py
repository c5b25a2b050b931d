"""`AutograderError`, the exception that ends a command with a message and an exit status."""

from collections.abc import Iterator
from contextlib import contextmanager

FAILED = 1  # a file could not be read or written; finished work is kept
USAGE = 2
NOT_GRADED = 3  # our fault or the machine's: grade again


class AutograderError(Exception):
    """A command cannot do its work. It prints the message and ends.

    The message says what is wrong and what to do: one sentence, or a line for each problem.
    `status` is the exit status of the process, by default that of the exception's class.
    """

    status = USAGE

    def __init__(self, message: str = "", status: int | None = None):
        super().__init__(message)
        if status is not None:
            self.status = status


@contextmanager
def from_extra(extra: str) -> Iterator[None]:
    """Within this block, raise `AutograderError` for a missing package of the extra `extra`.

    The message says how to install it.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise AutograderError(
            f"`{error.name}` is not installed: `pip install 'autograder[{extra}]'` brings it.",
            FAILED,
        ) from error
