"""`export`: grades as files that a learning platform takes back."""

import argparse
from pathlib import Path


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command and its arguments."""
    export = commands.add_parser(
        "export",
        help="grades for a spreadsheet, Canvas, Moodle or Gradescope",
        description=_export.__doc__,
    )
    export.add_argument("results", type=Path, metavar="RESULTS", help="where verdicts are")
    export.add_argument(
        "--format", required=True, choices=("csv", "canvas", "moodle", "gradescope")
    )
    export.add_argument("--assignment", metavar="ID", help="where RESULTS holds several")
    export.add_argument(
        "--out", type=Path, metavar="PATH", help="file or folder (RESULTS/<assignment>/export/)"
    )
    export.add_argument(
        "--submitted",
        type=Path,
        default=Path("submitted"),
        metavar="DIR",
        help="the folder that `collect` filled: who is who on the platform (submitted/)",
    )
    export.add_argument(
        "--sheet", type=Path, metavar="FILE", help="the table as Canvas or Moodle exports it"
    )
    export.add_argument("--column", metavar="NAME", help="the assignment's column in Canvas' table")
    export.add_argument(
        "--course", type=Path, metavar="DIR", help="nbgrader course (this folder, else the project)"
    )
    export.add_argument(
        "--gradebook", metavar="URL", help="database of the gradebook (the course's)"
    )
    export.add_argument("--no-gradebook", action="store_true", help="automatic points only")
    export.set_defaults(run=_export)


def _export(options: argparse.Namespace) -> int:
    """Write grades for a spreadsheet (csv), or to be taken back by Canvas, Moodle or Gradescope.

    A grade is the automatic points and those given by hand less the late penalty, as the gradebook
    has them. Exit status 0: written. 1: a file could not be. 2: wrong usage. 3: written, without
    verdicts that are damaged.
    """
    from autograder.platforms.export import run_export  # nbgrader takes a second: not for --help

    return run_export(options)
