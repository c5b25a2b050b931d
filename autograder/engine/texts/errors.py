"""`AutograderError`, the exception that ends a command with a message and an exit status."""

from collections.abc import Iterator
from contextlib import contextmanager

FAILED = 1  # something could not be read or written; what was finished before is kept
USAGE = 2
NOT_GRADED = 3  # a fault of ours or of the machine: to be done again


class AutograderError(Exception):
    """A command cannot do what was asked; the command prints the message and ends.

    The message says what is wrong and what to do: one sentence, or a line for each problem.
    `status` is the exit status of the process; by default the one of the exception's class.
    """

    status = USAGE

    def __init__(self, message: str = "", status: int | None = None):
        super().__init__(message)
        if status is not None:
            self.status = status


@contextmanager
def from_extra(extra: str) -> Iterator[None]:
    """Within this block, raise `AutograderError` where a package is missing that an extra of this one
    brings; the message says how to install it.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise AutograderError(
            f"`{error.name}` is not installed: `pip install 'autograder[{extra}]'` brings it.",
            FAILED,
        ) from error
