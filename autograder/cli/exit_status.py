"""Exit statuses of the command line, and how it says that it was used wrongly."""

from autograder.report import terminal

OK = 0  # every submission has a verdict
FAILED = 1  # something could not be written; verdicts that are there are right
USAGE = 2
NOT_GRADED = 3  # some submissions have no verdict: a fault of ours or of the machine
NOT_PLACED = 3  # some of what was handed in has no place among the submissions
STOPPED = 130  # by Ctrl-C


def refuse(message: str, status: int = USAGE) -> int:
    """Say in one line what is wrong and return the status."""
    terminal.complain(f"autograder: {message}")
    return status
