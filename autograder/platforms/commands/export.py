"""`export`: write grades as files that a learning platform takes back."""

from pathlib import Path

import click

from autograder._commands import terminal
from autograder._commands.exit_status import FAILED, NOT_GRADED, OK, Command, refuse, worst
from autograder._commands.options import (
    PATH,
    in_course,
    in_course_folder,
    in_results,
    of_gradebook,
    one_in_results,
)
from autograder.engine import AutograderError
from autograder.platforms.commands.platform_option import PlatformWith
from autograder.platforms.export import ExportRequest, export_grades, split_request


@click.command(
    "export",
    cls=Command,
    statuses={
        OK: "written",
        FAILED: "a file could not be written",
        NOT_GRADED: "written, without verdicts that are damaged, or with pages older than their grades",
    },
)
@in_results
@click.option("--format", required=True, type=PlatformWith("format"), help="what to write")
@one_in_results
@click.option(
    "--out", type=PATH, metavar="PATH", help="file or folder (RESULTS/<assignment>/export/)"
)
@click.option(
    "--submitted",
    type=PATH,
    callback=in_course_folder("submitted"),
    metavar="DIR",
    help="the folder that `collect` filled: who is who on the platform (the course's submitted/)",
)
@click.option("--sheet", type=PATH, metavar="FILE", help="the table as Canvas or Moodle exports it")
@click.option("--column", metavar="NAME", help="the assignment's column in Canvas' table")
@in_course
@of_gradebook
@click.option("--no-gradebook", is_flag=True, help="automatic points only")
def export(submitted: Path, no_gradebook: bool, **arguments) -> int:
    """Write grades for a spreadsheet (csv), or grades and feedback that a platform takes back.

    canvas and moodle: the table with the grades, and a zip of feedback. gradescope: autograder.zip,
    which gives each submission the result that was made here. ilias: a zip for Multi-Feedback. git: texts
    for repositories, and a script that opens issues with them.

    A grade is the automatic points and those given by hand less the late penalty, as the gradebook
    has them. An assignment with practice verdicts is not exported.
    """
    request = ExportRequest(
        **arguments,
        submitted=submitted,
        use_gradebook=not no_gradebook,
    )
    return worst([_export_one(assignment_request) for assignment_request in split_request(request)])


def _export_one(request: ExportRequest) -> int:
    """Export one assignment, and print the paths or an error. Return the exit status."""
    try:
        exported = export_grades(request)
    except AutograderError as error:
        return refuse(str(error), error.status)
    terminal.say(*exported.sentences, *(f"-> {path}" for path in exported.paths))
    return OK if exported.complete else NOT_GRADED
