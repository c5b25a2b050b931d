"""`collect`: a learning platform's download, sorted into submissions."""

import argparse
from datetime import tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from autograder.engine.assignment import find_assignment

PLATFORMS = ("moodle", "canvas", "ilias", "gradescope", "exchange", "folder")


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command and its arguments."""
    collect = commands.add_parser(
        "collect", help="sort a platform's download into submissions", description=_collect.__doc__
    )
    collect.add_argument(
        "downloads", type=Path, nargs="+", metavar="DOWNLOAD", help="a zip or a folder"
    )
    collect.add_argument(
        "--assignment", required=True, metavar="ID", help="for example encoder-layer"
    )
    collect.add_argument(
        "--into", type=Path, required=True, metavar="SUBMITTED", help="nbgrader's submitted folder"
    )
    collect.add_argument(
        "--platform", choices=PLATFORMS, help="where it is from (told by the names in it)"
    )
    collect.add_argument(
        "--roster",
        type=Path,
        metavar="CSV",
        help="the course's ids: a column student, and any of name, email, platform, number",
    )
    collect.add_argument(
        "--timezone",
        type=_zone,
        metavar="ZONE",
        help="of times without one, for example Europe/Berlin (this machine's). Moodle's zips have "
        "such times, in the zone of its server; Canvas's have no times of handing in",
    )
    collect.set_defaults(run=_collect)


def _zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError) as error:
        raise argparse.ArgumentTypeError(f"{name!r} is no time zone that is known here") from error


def _collect(options: argparse.Namespace) -> int:
    """Place each student's newest notebook at SUBMITTED/<student>/<assignment>/, with nbgrader's
    timestamp.txt, and keep all that was received in SUBMITTED/.received/<assignment>/.

    Nothing is overwritten that was not received and kept before. Exit status 0: everything is
    placed. 2: wrong usage, or no download. 3: something could not be placed.
    """
    assignment = find_assignment(options.assignment)
    from autograder.cli.collect import run_collecting  # what it imports takes a second

    return run_collecting(assignment, options)
