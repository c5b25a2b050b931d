"""`collect`: sort a learning platform's download into submissions."""

import os
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import click

from autograder._commands.exit_status import FAILED, OK, UNMATCHED, USAGE, Command
from autograder._commands.options import PATH, in_course, in_course_folder
from autograder.classroom.late_files import time_in
from autograder.platforms.commands.collect_run import CollectRun
from autograder.platforms.commands.platform_option import PlatformWith


def _zone(context: click.Context, parameter: click.Parameter, name: str) -> str:
    """Check the option `--timezone`. Raises `BadParameter` for unknown time zones."""
    try:
        return str(ZoneInfo(name)) if name else ""
    except (OSError, ValueError, KeyError) as error:
        raise click.BadParameter(f"{name!r} is no time zone that is known here") from error


def _time(context: click.Context, parameter: click.Parameter, text: str) -> datetime | None:
    """Parse the option `--at`. Raises `BadParameter` if the text is not a time."""
    try:
        return time_in(text) if text else None
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is no time, like 2026-11-30 18:00+01:00") from error


@click.command(
    "collect",
    cls=Command,
    statuses={
        OK: "every submission has its student",
        FAILED: "something could not be written",
        USAGE: "wrong usage, or no download",
        UNMATCHED: "some submissions are unmatched",
    },
)
@click.argument("downloads", type=PATH, nargs=-1, metavar="[DOWNLOAD...]", help="a zip or a folder")
@click.option(
    "--resolve",
    type=PATH,
    metavar="CSV",
    help="place unmatched submissions: a copy of unmatched-ASSIGNMENT.csv with `student` filled in",
)
@click.option("--assignment", metavar="ID", help="of which it is (told by the notebooks' names)")
@click.option(
    "--into",
    type=PATH,
    callback=in_course_folder("submitted"),
    metavar="SUBMITTED",
    help="nbgrader's submitted folder (the course's)",
)
@click.option(
    "--platform", type=PlatformWith("layouts"), help="where it is from (told by the names in it)"
)
@click.option(
    "--roster",
    type=PATH,
    metavar="CSV",
    help="the course's ids: a column student, and any of name, email, platform, number",
)
@click.option(
    "--timezone",
    default="",
    callback=_zone,
    metavar="ZONE",
    help="of times without one, for example Europe/Berlin (the course's). Moodle's have none: those in "
    "its zips are of its server's zone, those in its worksheet of your profile's",
)
@click.option(
    "--worksheet",
    type=PATH,
    metavar="CSV",
    help="Moodle's grading worksheet, in English, German, French or Spanish: it has each student's time "
    "of submission, extension and team",
)
@click.option(
    "--file-times",
    is_flag=True,
    help="take a file's own time for that of submission, where nothing else says it; copying, "
    "unpacking and git change it",
)
@click.option("--drafts", is_flag=True, help="grade drafts, too, which Moodle's worksheet calls so")
@click.option(
    "--late-template",
    type=PATH,
    metavar="CSV",
    help="write a new late.csv with those whom the platform calls late without saying when",
)
@click.option(
    "--fetch",
    is_flag=True,
    help="of --platform git: clone or fetch first what the tables in DOWNLOAD, a folder, name as "
    "`repository` of a `student`",
)
@click.option(
    "--at",
    callback=_time,
    metavar="TIME",
    help="of --platform git: what was there by then, for example 2026-11-30 18:00+01:00; a commit's time "
    "is what the student's machine says",
)
@click.option(
    "--undo",
    is_flag=True,
    help="take the last `collect` back: its files, times and choices",
)
@click.option("--dry-run", is_flag=True, help="show what would be done, and write nothing")
@click.option("--yes", is_flag=True, help="do not ask before writing")
@in_course
def collect(
    downloads: tuple[Path, ...],
    resolve: Path | None,
    undo: bool,
    late_template: Path | None,
    **arguments,
) -> int:
    """Place each student's newest notebook at SUBMITTED/<student>/<assignment>/, with nbgrader's
    timestamp.txt. Everything that was received is kept in records.db beside SUBMITTED: up to 1,000
    files of each student at a time, 256 MiB of notebooks and archives and 32 MiB of other files.
    Files over these limits are named.

    Submissions that match no student are kept, too, and listed in unmatched-ASSIGNMENT.csv. Fill in
    the column `student` in a copy: several ids for a team, sheet-4/ada for another assignment, or -
    for nobody. Then give the copy to --resolve instead of a DOWNLOAD.

    Facts add up: rosters, worksheets and choices of earlier runs still count, in any order.
    """
    if (len(downloads) > 0) + (resolve is not None) + undo != 1:
        raise click.UsageError("Name a DOWNLOAD, or --resolve and a table, or --undo")
    if (arguments["fetch"] or arguments["at"]) and arguments["platform"] != "git":
        raise click.UsageError("--fetch and --at are for repositories: add --platform git")
    if late_template is not None and os.path.lexists(late_template):
        raise click.UsageError(f"{late_template} is there already: name a file that is not")
    run = CollectRun(late_template=late_template, **arguments)
    if undo:
        return run.undo()
    return run.resolve(resolve) if resolve else run.collect(downloads)
