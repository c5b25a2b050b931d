"""`grade`: a folder of submissions, or one notebook."""

import argparse
from pathlib import Path

from autograder.engine.assignment import find_assignment
from autograder.cli.arguments import positive


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command and its arguments."""
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
    workers = grade.add_mutually_exclusive_group()
    workers.add_argument(
        "--jobs", type=positive, metavar="N", help="processes that grade (one a processor)"
    )
    workers.add_argument(
        "--scheduler", metavar="ADDRESS", help="a Dask cluster's, such as tcp://HOST:8786"
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
    grade.add_argument(
        "--regrade", action="store_true", help="also what has not changed; shows who changes first"
    )
    grade.add_argument(
        "--changes",
        choices=("ask", "write", "show"),
        default="ask",
        help="of points for the same submission: ask first, where there is a terminal; or only show",
    )
    grade.add_argument("--seed", type=int, help="of the hidden inputs, to repeat a verdict")
    grade.set_defaults(run=_grade)


def _grade(options: argparse.Namespace) -> int:
    """Grade submissions; write RESULTS/<assignment>/<student>.json, grades.csv and the gradebook.

    Exit status 0: every submission has a verdict. 2: wrong usage. 3: some are not graded.
    """
    assignment = find_assignment(options.assignment)
    from autograder.cli.grade import run_grading  # what it imports takes a second: not for --help

    return run_grading(assignment, options)
