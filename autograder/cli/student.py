"""`student`: all data of one student, exported for the student or deleted."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from autograder.cli.course_data import (
    agreed,
    alone_in,
    assignments_of,
    find_folders,
    in_course_folders,
    refuse_existing,
)
from autograder.cli.exit_status import FAILED, OK, Command
from autograder.cli.options import PATH
from autograder.cli.progress import with_progress
from autograder.people.roster import is_student_id
from autograder.report import terminal
from autograder.staff.student_data.course_files import Folders, course_files
from autograder.staff.student_data.handing_out import handed_out
from autograder.staff.student_data.kept_points import keep_points
from autograder.staff.student_data.places import PLACES, Place
from autograder.staff.student_data.subject import find_subject
from autograder.staff.student_data.traces import Traces, delete_traces, find_traces, student_folders
from autograder.staff.student_data.zip_file import write_zip
from autograder.text.errors import CommandError
from autograder.text.wording import plural

MOST_NAMED = 20  # files that are left


@click.group("student", no_args_is_help=False)
def student() -> None:
    """Hand a student all data that the course keeps of them, or delete all of it.

    Nothing outside the folders of the course is touched: neither the platform, nor nbgrader's
    exchange, nor backups of the disk.
    """


@student.command(
    "export",
    short_help="all that is known of one student, for that student",
    cls=Command,
    statuses={OK: "written, or not agreed to", FAILED: "a file or the gradebook cannot be read"},
)
@click.argument("id", metavar="ID")
@click.option("--to", type=PATH, required=True, metavar="FILE.zip", help="the zip to write")
@in_course_folders
def export(id: str, to: Path, yes: bool, **places) -> int:
    """Write a zip with what the course knows of the student with this id: what was handed in, points
    and feedback as the student sees them, marks and comments, times, inquiries.

    It has nothing of another student's, of hidden graders, and no notes of staff.
    """
    refuse_existing(to)
    folders, gradebook = find_folders(**places)
    traces = _traces(folders, gradebook, id)
    said = _listed(traces, lambda place: "goes into the zip" if place.handed_out else "stays here")
    if agreed(said, f"Write {to}?", yes):
        terminal.say(f"{plural(write_zip(to, handed_out(traces.found, id)), 'file')} -> {to}")
    return OK


@student.command(
    "delete",
    short_help="delete all that is known of one student",
    cls=Command,
    statuses={
        OK: "deleted, or not agreed to",
        FAILED: "deleted, but for files that are named; or something could not be written",
    },
)
@click.argument("id", metavar="ID")
@click.option(
    "--keep-points",
    "points_stay",
    is_flag=True,
    help="keep the points under a pseudonym, for the statistics",
)
@in_course_folders
def delete(id: str, points_stay: bool, yes: bool, **places) -> int:
    """Delete all that the course knows of the student with this id, in every kind of places.

    Staff's tables lose the student's rows. What is made of a whole class is deleted if it names the
    student, and can be made again. Run it again if it was interrupted.
    """
    folders, gradebook = find_folders(**places)
    with alone_in(folders):
        traces = _traces(folders, gradebook, id)
        said = [*_listed(traces, _when_deleted), *_left(traces)]
        if not agreed(said, "Delete all of this for ever?", yes):
            return OK
        for one in assignments_of(folders) if points_stay else []:
            keep_points(folders.results, one, id, gradebook)
        done = delete_traces(folders, traces, id)
        count = Counter(
            one.place.name for one in with_progress(done, "deleting", len(traces.found))
        )
        terminal.say(*(f"{name}: {number} deleted" for name, number in count.items()))
        left = list(_left(_found(folders, gradebook, id)))
    terminal.say(*left or [f"No file of the course names {id} any more."])
    return FAILED if left else OK


def _traces(folders: Folders, gradebook: str | None, id: str) -> Traces:
    """Return what is known of a student. Raises `CommandError` if that is nothing."""
    traces = _found(folders, gradebook, id) if is_student_id(id) else Traces()
    if not traces.found and not list(student_folders(folders, id) if is_student_id(id) else []):
        raise CommandError(
            f"Nobody with the id `{id}` is known in `{folders.course}`: see the rosters."
        )
    return traces


def _found(folders: Folders, gradebook: str | None, id: str) -> Traces:
    """Return what the course has of a student now, and show progress."""
    subject = find_subject(folders, assignments_of(folders), gradebook, id)
    files = [*course_files(folders)]
    return find_traces(with_progress(files, "searching", len(files)), gradebook, subject)


def _listed(traces: Traces, what: Callable[[Place], str]) -> Iterator[str]:
    """Yield a line for each kind of places: how much is in it, and what happens with that."""
    for place in PLACES:
        found = len(traces.of(place))
        yield f"{place.name}: {f'{found}, {what(place)}' if found else 'nothing'}"


def _when_deleted(place: Place) -> str:
    return f"to be deleted; `{place.again}` makes it again" if place.again else "to be deleted"


def _left(traces: Traces) -> Iterator[str]:
    """Yield sentences on the files that are not touched."""
    if traces.left:
        yield f"Not touched, look at {plural(len(traces.left), 'file')} yourself:"
        yield from [f"  {label}: {why}" for label, why in traces.left.items()][:MOST_NAMED]
        if len(traces.left) > MOST_NAMED:
            yield f"  and {len(traces.left) - MOST_NAMED} more"
