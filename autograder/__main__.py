"""The command line: `python -m autograder grade | sample-class | ...`."""

import argparse
import sys
from pathlib import Path

from autograder.assignment import Assignment, UnknownAssignment, find_assignment
from autograder.status import FAILED, OK, STOPPED, refuse


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return its exit status."""
    options = _parser().parse_args(arguments)
    try:
        return options.run(find_assignment(options.assignment), options)
    except UnknownAssignment as error:
        return refuse(str(error))
    except OSError as error:
        what = f"`{error.filename}`: {error.strerror}" if error.filename else str(error)
        return refuse(f"{what}. What was finished before is kept.", FAILED)
    except KeyboardInterrupt:
        return refuse("Stopped. What was finished is kept; run again for the rest.", STOPPED)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m autograder", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    grade = commands.add_parser(
        "grade", help="grade a folder of submissions, or one notebook", description=_grade.__doc__
    )
    grade.add_argument(
        "place", type=Path, metavar="SUBMITTED", help="SUBMITTED/<student>/<assignment>/*.ipynb"
    )
    grade.add_argument(
        "--assignment", required=True, metavar="ID", help="for example encoder-layer"
    )
    grade.add_argument(
        "--results", type=Path, default=Path("results"), help="where verdicts go (results/)"
    )
    grade.add_argument(
        "--jobs", type=_positive, default=1, metavar="N", help="processes that grade (1)"
    )
    grade.add_argument(
        "--sandbox",
        choices=("require", "auto", "off"),
        default="require",
        help="require: no walls, no grades; auto: the best there is; off: practice only",
    )
    grade.add_argument(
        "--course", type=Path, metavar="DIR", help="nbgrader course (this folder, else the project)"
    )
    grade.add_argument(
        "--gradebook", metavar="URL", help="database of the gradebook (the course's)"
    )
    grade.add_argument("--no-gradebook", action="store_true", help="verdicts only")
    grade.add_argument("--regrade", action="store_true", help="also what has not changed")
    grade.add_argument("--seed", type=int, help="of the hidden inputs, to repeat a verdict")
    grade.set_defaults(run=_grade)

    sample = commands.add_parser(
        "sample-class", help="make an invented class to try things on", description=_sample.__doc__
    )
    sample.add_argument("place", type=Path, metavar="SUBMITTED", help="the folder to fill")
    sample.add_argument("--assignment", required=True, metavar="ID")
    sample.add_argument("--students", type=_positive, default=40, metavar="N")
    sample.add_argument("--seed", type=int, default=1)
    sample.set_defaults(run=_sample)
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not at least 1")
    return number


def _grade(assignment: Assignment, options: argparse.Namespace) -> int:
    """Grade submissions; write RESULTS/<assignment>/<student>.json, grades.csv and the gradebook.

    Exit status 0: every submission has a verdict. 2: wrong usage. 3: some are not graded.
    """
    from autograder.run import run_grading  # torch takes a second: not for --help

    return run_grading(assignment, options)


def _sample(assignment: Assignment, options: argparse.Namespace) -> int:
    """Write invented submissions: right, differently right, mistaken, unfinished, broken."""
    from autograder.sample_class import SampleError, write_class

    try:
        students = write_class(assignment, options.place, options.students, options.seed)
    except SampleError as error:
        return refuse(str(error))
    print(
        f"{students} submissions of {assignment.id} are in {options.place}/; sample-class.csv there"
    )
    print("says what each of them is.")
    return OK


if __name__ == "__main__":
    sys.exit(main())
