"""Arguments that several benchmarks have."""

import argparse

from autograder.engine.assignment import Assignment, UnknownAssignment, find_assignment, released
from autograder.engine.course import find_course
from benchmarks import CHECKOUT


def add_assignment(parser: argparse.ArgumentParser) -> None:
    """Add `--assignment`, which need not be given where there is only one."""
    parser.add_argument("--assignment", metavar="ID", help="needed where several are released")


def chosen_assignment(parser: argparse.ArgumentParser, name: str | None) -> Assignment:
    """Return the assignment with this name, else the only one; exit with a usage error."""
    course = find_course(CHECKOUT)
    known = released(course)
    if name is None and len(known) != 1:
        parser.error(f"which --assignment? There is: {', '.join(known) or 'none'}.")
    try:
        return find_assignment(name or known[0], course)
    except UnknownAssignment as error:
        parser.error(str(error))


def positive(text: str) -> int:
    """A whole number from 1 up."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not at least 1")
    return number
