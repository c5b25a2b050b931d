"""`AutograderError`, the exception that ends a command with a message and an exit status."""

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
