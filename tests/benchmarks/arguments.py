"""Arguments that several benchmarks have."""

import argparse
from pathlib import Path

from autograder import Assignment, CourseError, assignments, find_assignment, find_course
from tests.benchmarks.checkout import CHECKOUT


def add_assignment(parser: argparse.ArgumentParser) -> None:
    """Add `--assignment`, which need not be given where there is only one."""
    parser.add_argument("--assignment", metavar="ID", help="needed where there are several")


def chosen_assignment(
    parser: argparse.ArgumentParser, name: str | None, root: Path = CHECKOUT
) -> Assignment:
    """Return the assignment with this name of the course in `root`, else the only one; exit with a
    usage error.
    """
    course = find_course(root)
    known = assignments(course)
    if name is None and len(known) != 1:
        there = ", ".join(known) or "none"
        parser.error(f"one assignment is measured: say which by --assignment. There is: {there}.")
    try:
        return find_assignment(name or known[0], course)
    except CourseError as error:
        parser.error(str(error))


def positive(text: str) -> int:
    """A whole number from 1 up."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not at least 1")
    return number
