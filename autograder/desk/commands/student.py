"""`student`: export or delete all data on a student."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import click

from autograder._commands import terminal
from autograder._commands.exit_status import FAILED, OK, Command
from autograder._commands.options import PATH
from autograder._commands.progress import with_progress
from autograder.desk.commands.course_data import about_course, alone_in, refuse_existing
from autograder.desk.student_data.course_files import course_files, write_zip
from autograder.desk.student_data.handing_out import handed_out
from autograder.desk.student_data.kept_points import keep_points
from autograder.desk.student_data.places import PLACES, Place
from autograder.desk.student_data.subject import Subject, find_subject
from autograder.desk.student_data.traces import (
    NAMED,
    StudentTraces,
    delete_traces,
    find_traces,
)
from autograder.engine import AutograderError, grading, name_some, plural
from autograder.platforms.collect.earlier import has_earlier_lists

MOST_NAMED = 20  # files listed of those that are left


@click.group("student", no_args_is_help=False)
def student() -> None:
    """Hand out all data that a course keeps of one student, or delete it.

    Nothing outside the course's folder and gradebook is touched: neither the platform, nor
    nbgrader's exchange, nor backups of the disk.
    """


@student.command(
    "export",
    short_help="all that is known of one student, for that student",
    cls=Command,
    statuses={OK: "written, or not agreed to", FAILED: "a file or the gradebook cannot be read"},
)
@click.argument("id", metavar="ID")
@click.option("--to", type=PATH, required=True, metavar="FILE.zip", help="the zip to write")
@about_course
def export(id: str, to: Path, yes: bool, course: Path | None, gradebook: str | None) -> int:
    """Write a zip with what the course knows of the student with this id: what was handed in, alone
    or with a group, points and feedback as the student sees them, marks and comments, times, inquiries.

    It names no other student, and has nothing of hidden graders, and no notes of staff.
    """
    refuse_existing(to)
    with alone_in(course, gradebook) as (root, url):
        subject, traces = _find(root, url, id, with_mates=True)
        sentences = _listed(
            traces, lambda place: place.handed_out and f"goes into the zip {place.handed_out}"
        )
        if terminal.agreed(sentences, f"Write {to}?", yes):
            write_zip(to, handed_out(root, traces.found, url, subject))
            terminal.say(f"-> {to}")
    return OK


@student.command(
    "delete",
    short_help="delete all that is known of one student",
    cls=Command,
    statuses={
        OK: "deleted, or not agreed to",
        FAILED: "something is left, and said; or a file cannot be written",
    },
)
@click.argument("id", metavar="ID")
@click.option(
    "--keep-points",
    "stays",
    is_flag=True,
    help="keep the points, under a pseudonym, for statistics",
)
@about_course
def delete(id: str, stays: bool, yes: bool, course: Path | None, gradebook: str | None) -> int:
    """Delete all that the course knows of the student with this id, in every kind of places.

    Tables lose the student's rows. What a group handed in goes with its last member. What is made of
    a whole class is deleted if it names the student, and can be made again. After an interruption,
    run it again.
    """
    with alone_in(course, gradebook) as (root, url):
        subject, traces = _find(root, url, id, with_mates=False)
        sentences = [
            *_listed(traces, lambda place: place.fate),
            *_of_groups(subject),
            *_left(traces),
        ]
        if not terminal.agreed(sentences, "Delete all of this for ever?", yes):
            return OK
        for assignment in subject.groups if stays else ():
            keep_points(root / grading.RESULTS / assignment, replace(subject, with_mates=True), url)
        for _ in with_progress(delete_traces(root, traces, subject), "deleting", len(traces.found)):
            pass
        remaining = find_traces(root, course_files(root), url, subject)
        remaining.left.update({trace.url: NAMED for trace in remaining.found if trace.url})
        warnings = [*_left(remaining)]
    terminal.say(*warnings or [f"Nothing in the course names {id} any more."])
    return FAILED if warnings else OK


def _find(root: Path, url: str | None, id: str, with_mates: bool) -> tuple[Subject, StudentTraces]:
    """Return the student with this id and the student's data in the course, and show progress.
    Raises `AutograderError` if the id is invalid, or if nothing shows that it is a student's.
    """
    if has_earlier_lists(root / "submitted"):
        raise AutograderError(
            f"`{root / 'submitted' / '.received'}` is of an earlier version: collect a download, which "
            "imports it, and run this again."
        )
    files = course_files(root)
    subject = find_subject(root, url, id, (file.assignment for file in files))
    subject = replace(subject, with_mates=with_mates)
    traces = find_traces(root, with_progress(files, "searching", len(files)), url, subject)
    if not any(trace.part.has_id for trace in traces.found):
        raise AutograderError(f"No student has the id `{id}` in `{root}`: see the rosters.")
    return subject, traces


def _listed(traces: StudentTraces, fate: Callable[[Place], str]) -> Iterator[str]:
    """Yield lines on each kind of location: the number of traces, and their fate."""
    count = Counter((trace.place.name, fate(trace.place)) for trace in traces.found)
    for kind in dict.fromkeys(place.name for place in PLACES):
        counts_by_fate = {
            fate_text: number for (name, fate_text), number in count.items() if name == kind
        }
        yield from (
            f"{kind}: {number}, {fate_text or 'stays here'}"
            for fate_text, number in counts_by_fate.items()
        )
        if not counts_by_fate:
            yield f"{kind}: nothing"


def _of_groups(subject: Subject) -> Iterator[str]:
    """Yield a sentence on the groups that have other members."""
    if ids := {id for assignment in subject.groups for id in subject.shared(assignment)}:
        yield f"What these groups handed in stays with their other members: {name_some(sorted(ids))}."


def _left(traces: StudentTraces) -> Iterator[str]:
    """Yield sentences on the files that staff has to look at."""
    if number := len(traces.left):
        yield f"Not touched, look at {plural(number, 'file')} yourself:"
        yield from [f"  {label}: {reason}" for label, reason in traces.left.items()][:MOST_NAMED]
        yield from [f"  and {number - MOST_NAMED} more"] * (number > MOST_NAMED)
