"""Exit statuses of the command line, and how it says that it was used wrongly."""

import sys

OK = 0  # every submission has a verdict
FAILED = 1  # the verdicts are there, and the gradebook did not take them
USAGE = 2
NOT_GRADED = 3  # some submissions have no verdict: a fault of ours or of the machine


def refuse(message: str, status: int = USAGE) -> int:
    """Say in one line what is wrong and return the status."""
    print(f"autograder: {message}", file=sys.stderr)
    return status
