"""`sample-class`: an invented class to try things on."""

import argparse
from pathlib import Path

from autograder.engine.assignment import Assignment, find_assignment
from autograder.cli.arguments import positive
from autograder.cli.exit_status import OK, refuse

PLATFORMS = ("moodle", "canvas", "ilias", "gradescope")


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command and its arguments."""
    sample = commands.add_parser(
        "sample-class", help="make an invented class to try things on", description=_sample.__doc__
    )
    sample.add_argument(
        "place", type=Path, metavar="SUBMITTED", help="the folder to fill, or with --as the zip"
    )
    sample.add_argument("--assignment", required=True, metavar="ID")
    sample.add_argument("--students", type=positive, default=40, metavar="N")
    sample.add_argument("--seed", type=int, default=1)
    sample.add_argument(
        "--as",
        dest="platform",
        choices=PLATFORMS,
        help="a zip as this platform hands it out, with its table beside it if it has one",
    )
    sample.set_defaults(run=_sample)


def _sample(options: argparse.Namespace) -> int:
    """Write invented submissions: right, differently right, mistaken, unfinished, broken."""
    from autograder.authoring.sample_class import SampleError, write_class

    assignment = find_assignment(options.assignment)
    try:
        if options.platform:
            return _download(assignment, options)
        students = write_class(assignment, options.place, options.students, options.seed)
    except SampleError as error:
        return refuse(str(error))
    print(
        f"{students} submissions of {assignment.id} are in {options.place}/; sample-class.csv there"
    )
    print("says what each of them is.")
    return OK


def _download(assignment: Assignment, options: argparse.Namespace) -> int:
    from autograder.authoring.sample_download import write_download

    files = write_download(
        assignment, options.place, options.platform, options.students, options.seed
    )
    print(f"{options.students} submissions of {assignment.id}, as {options.platform} has them:")
    print("\n".join(f"  {file}" for file in files))
    return OK
