"""The exception that ends a command with a sentence and an exit status."""

FAILED = 1  # something could not be read or written; what was finished before is kept
USAGE = 2
NOT_GRADED = 3  # a fault of ours or of the machine: to be done again


class CommandError(Exception):
    """A command cannot do what was asked.

    The message says what is wrong and what to do, in one sentence, or in a line for each thing that
    is wrong. `status` is the exit status, where it is not that of the class.
    """

    status = USAGE

    def __init__(self, message: str = "", status: int | None = None):
        super().__init__(message)
        if status is not None:
            self.status = status
