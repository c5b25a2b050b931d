"""`collect`: a learning platform's download, sorted into submissions."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import click

from autograder.cli.exit_status import FAILED, NOT_PLACED, OK, USAGE, Command, refuse
from autograder.cli.options import PATH, PlatformWith, in_course
from autograder.cli.progress import with_progress
from autograder.engine.course.assignment import Assignment, find_assignment
from autograder.engine.course.course import Course, find_course
from autograder.engine.course.which import cannot_tell, every
from autograder.files.locks import locked
from autograder.people.roster import NOT_PLACED_TABLE, RECEIVED
from autograder.text.times import to_utc
from autograder.text.wording import plural

if TYPE_CHECKING:
    from rich.table import Table

    from autograder.platforms.collect.place import Placed
    from autograder.platforms.collect.plan import Plan

OUTCOMES = {
    "new": "placed",
    "newer": "newer than before",
    "older": "older, kept aside",
    "unchanged": "unchanged",
}


def _zone(context: click.Context, parameter: click.Parameter, name: str) -> str:
    """The name of a time zone, or nothing. Raises `BadParameter`."""
    try:
        return str(ZoneInfo(name)) if name else ""
    except (OSError, ValueError, KeyError) as error:
        raise click.BadParameter(f"{name!r} is no time zone that is known here") from error


def _time(context: click.Context, parameter: click.Parameter, text: str) -> datetime | None:
    """A time, or nothing. Raises `BadParameter`."""
    from autograder.gradebook.late_files import time_in  # not for --help

    try:
        return time_in(text) if text else None
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is no time, like 2026-11-30 18:00+01:00") from error


@click.command(
    "collect",
    cls=Command,
    statuses={
        OK: "everything is placed",
        FAILED: "something could not be written",
        USAGE: "wrong usage, or no download",
        NOT_PLACED: "something could not be placed",
    },
)
@click.argument("downloads", type=PATH, nargs=-1, metavar="[DOWNLOAD...]", help="a zip or a folder")
@click.option(
    "--resolve",
    type=PATH,
    metavar="CSV",
    help="place what had no place before: a copy of not-placed.csv with `student` filled in",
)
@click.option("--assignment", metavar="ID", help="of which it is (told by the notebooks' names)")
@click.option(
    "--into", type=PATH, required=True, metavar="SUBMITTED", help="nbgrader's submitted folder"
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
    help="of times without one, for example Europe/Berlin (this machine's). Moodle's have none: those "
    "in its zips are of its server's zone, those in its worksheet of your profile's",
)
@click.option(
    "--worksheet",
    type=PATH,
    metavar="CSV",
    help="Moodle's grading worksheet, in English or German: it says when each submission was handed "
    "in, which zips of Moodle 4.1 and newer do not",
)
@click.option(
    "--file-times",
    is_flag=True,
    help="take a file's own time for that of handing in, where nothing else says it; copying, "
    "unpacking and git change it",
)
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
    "by",
    callback=_time,
    metavar="TIME",
    help="of --platform git: what was there by then, for example 2026-11-30 18:00+01:00; a commit's time "
    "is what the student's machine says",
)
@in_course
def collect(
    downloads: tuple[Path, ...],
    resolve: Path | None,
    assignment: str | None,
    into: Path,
    platform: str | None,
    roster: Path | None,
    timezone: str,
    worksheet: Path | None,
    file_times: bool,
    late_template: Path | None,
    fetch: bool,
    by: datetime | None,
    course: Path | None,
) -> int:
    """Place each student's newest notebook at SUBMITTED/<student>/<assignment>/, with nbgrader's
    timestamp.txt, and keep all that was received in SUBMITTED/.received/<assignment>/: up to 1,000
    files of each student at a time, 256 MiB of notebooks and archives and 32 of all else. What is
    more is named.

    What has no place is kept there, too, and listed in its not-placed.csv. Fill in the column
    `student`, several ids for a team, sheet-4/ada for another assignment, or - for nobody, and give
    that to --resolve instead of a DOWNLOAD. What was said of times before is kept, and so is the roster.

    Nothing is overwritten that was not received and kept before.
    """
    from autograder.platforms.collect.archive import open_download  # take a moment: not for --help
    from autograder.platforms.collect.choices import plan_choices
    from autograder.platforms.collect.plan import make_plan, told_by_names
    from autograder.platforms.collect.times import TimeRules
    from autograder.platforms.moodle import read_worksheet

    if bool(downloads) == (resolve is not None):
        raise click.UsageError("Name a DOWNLOAD, or --resolve and a table, one of the two")
    if (fetch or by) and platform != "git":
        raise click.UsageError("--fetch and --at are for repositories: add --platform git")
    if late_template is not None and os.path.lexists(late_template):
        raise click.UsageError(f"{late_template} is there already: name a file that is not")
    where = find_course(course)
    sentence = f"Somebody else is collecting into `{into}`: collect again when that is done."
    try:
        named = find_assignment(assignment, where) if assignment else None
        times = TimeRules(timezone, file_times, read_worksheet(worksheet) if worksheet else {})
        if resolve is not None:
            found = named or _with_choices(into, where)
            with locked(_nearest_folder(into), sentence):
                plan = plan_choices(resolve, found, into, roster, times)
                return _place(plan, found, into, late_template)
        failed = sum(_fetch(path) for path in downloads if fetch)
        at = to_utc(by, ZoneInfo(timezone) if timezone else None) if by else None
        opened = [open_download(path, platform=platform, by=at) for path in downloads]
        found = named or told_by_names(opened, where)
        with locked(_nearest_folder(into), sentence):  # what is refused leaves nothing behind
            plan = make_plan(opened, found, into, platform, roster, times)
            return _place(plan, found, into, late_template) or (NOT_PLACED if failed else OK)
    except OSError as error:
        return refuse(_not_written(error), FAILED)


def _fetch(folder: Path) -> int:
    """Clone or fetch each repository that tables in a folder name; return how many could not be.

    Raises `NoDownload`, `OSError`.
    """
    from autograder.platforms.git import addresses
    from autograder.platforms.git_fetch import fetch_all
    from autograder.report import terminal

    there = addresses(folder)
    console = terminal.console()
    work = with_progress(fetch_all(folder, there), "fetching", len(there), console)
    failed = [sentence for sentence in work if sentence]
    console.print_paragraphs(failed)
    return len(failed)


def _with_choices(into: Path, course: Course) -> Assignment:
    """The one assignment of which something has no place. Raises `UnknownAssignment`."""
    from autograder.platforms.collect.choices import assignments_with_choices

    known = {one.id: one for one in every(course)}
    found = assignments_with_choices(into, known)
    if len(found) == 1:
        return known[found[0]]
    several = f"There is a {NOT_PLACED_TABLE} of {' and of '.join(found)} in `{into / RECEIVED}`"
    nothing = f"There is no {NOT_PLACED_TABLE} in `{into / RECEIVED}/<assignment>/`"
    raise cannot_tell(several if found else nothing, found or list(known))


def _place(plan: Plan, assignment: Assignment, into: Path, late_template: Path | None) -> int:
    """Place what can be placed, and show it; return the exit status."""
    from autograder.platforms.collect.place import place
    from autograder.platforms.collect.times import describe_times
    from autograder.report import terminal

    placed: list[Placed] = []
    failure = None
    console = terminal.console()
    try:
        work = place(plan, assignment, into)
        for one in with_progress(work, "placing", len(plan.to_place), console):
            if one is not None:
                placed.append(one)
    except OSError as error:
        failure = error
    if placed:
        console.print(_table(assignment, placed))
    told = list(describe_times(plan.known_times))
    told += _write_template(late_template, plan, assignment)
    told += [*plan.notes, *_listed(plan, into)]
    console.print_paragraphs([*plan.not_placed, *told, _summary(placed, plan, into)])
    if failure is not None:
        return refuse(_not_written(failure), FAILED)
    return NOT_PLACED if plan.not_placed else OK


def _listed(plan: Plan, into: Path) -> Iterator[str]:
    """Where all is listed that has no place, and what to do about it."""
    if plan.table is not None:
        yield (
            f"What has no place is listed in `{plan.table}`: fill in `student`, and "
            f"`python -m autograder collect --resolve {plan.table} --into {into}` places it."
        )


def _write_template(path: Path | None, plan: Plan, assignment: Assignment) -> list[str]:
    """Write a late.csv to be filled in; return a sentence on it. Raises `OSError`."""
    if path is None:
        return []
    from autograder.gradebook.late_files import template

    late = {one.student for one in plan.known_times if one.late and one.told.when is None}
    if not late:
        return [f"`{path}` is not written: nobody is late without a time."]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("x", encoding="utf-8", newline="") as file:
        file.write(template(sorted(late), assignment.id))
    return [
        f"`{path}` has {plural(len(late), 'student')}: fill in the times, like 2026-11-30 18:00+01:00, and "
        "keep it as late.csv beside nbgrader_config.py."
    ]


def _nearest_folder(path: Path) -> Path:
    """The path itself if it is a folder, or the first folder above it that is there."""
    return next(folder for folder in (path, *path.absolute().parents) if folder.is_dir())


def _not_written(error: OSError) -> str:
    what = f"`{error.filename}`: {error.strerror}" if error.filename else str(error)
    return f"{what}. What was placed before is kept; collect again for the rest."


def _table(assignment: Assignment, placed: list[Placed]) -> Table:
    """A row a student: when the submission that counts was handed in, and what is new about it."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title=assignment.id, title_justify="left", box=SIMPLE_HEAD)
    table.add_column("student", no_wrap=True)
    table.add_column("handed in (UTC)", no_wrap=True)
    table.add_column("")
    for one in sorted(placed, key=lambda one: one.student):
        when = (one.submitted_at or "·").removesuffix(" UTC")
        words = "; ".join(filter(None, (OUTCOMES[one.outcome], one.remark)))
        table.add_row(one.student, when, words)
    return table


def _summary(placed: list[Placed], plan: Plan, into: Path) -> str:
    counts = Counter(one.outcome for one in placed)
    words = [f"{counts[outcome]} {word}" for outcome, word in OUTCOMES.items() if counts[outcome]]
    students = len({one.student for one in placed})
    not_placed = f"{len(plan.not_placed)} not placed" if plan.not_placed else "all placed"
    if plan.chosen_before:
        not_placed += f", {plan.chosen_before} as chosen before"
    if plan.set_aside:
        not_placed += f", {len(plan.set_aside)} listed no more"
    return (
        f"{plural(students, 'student')}: {', '.join(words) or 'nothing new'}; {not_placed}. "
        f"Submissions: {into}/, all that was received: {into / RECEIVED}/"
    )
