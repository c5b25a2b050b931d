"""Exit statuses of the command line, and how it says that it was used wrongly."""

from collections.abc import Iterable

from autograder.report import terminal

OK = 0  # every submission has a verdict
FAILED = 1  # something could not be written; verdicts that are there are right
USAGE = 2
NOT_GRADED = 3  # some submissions have no verdict: a fault of ours or of the machine
NOT_PLACED = 3  # some of what was handed in has no place among the submissions
STOPPED = 130  # by Ctrl-C
WORST_LAST = OK, NOT_GRADED, FAILED, USAGE


def worst(statuses: Iterable[int]) -> int:
    """Return the status that tells most: what could not be written goes before what is to be done again."""
    return max(statuses, key=WORST_LAST.index, default=OK)


def refuse(message: str, status: int = USAGE) -> int:
    """Say in one line what is wrong and return the status."""
    terminal.complain(f"autograder: {message}")
    return status
