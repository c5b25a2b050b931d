"""`student`: all data of one student, handed out or deleted."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from autograder.cli.course_data import about_course, agreed, alone_in, refuse_existing
from autograder.cli.exit_status import FAILED, OK, Command
from autograder.cli.options import PATH
from autograder.cli.progress import with_progress
from autograder.engine.results import RESULTS
from autograder.engine.verdict.verdict import read_verdict
from autograder.files.reading import entries
from autograder.gradebook.tables import read_names
from autograder.people.roster import RECEIVED, Person, is_student_id, read_remembered, read_roster
from autograder.report import terminal
from autograder.staff.student_data.course_files import course_files, write_zip
from autograder.staff.student_data.handing_out import handed_out
from autograder.staff.student_data.kept_points import keep_points
from autograder.staff.student_data.places import PLACES, Place
from autograder.staff.student_data.subject import Subject, find_subject
from autograder.staff.student_data.traces import StudentTraces, delete_traces, find_traces
from autograder.text.errors import CommandError
from autograder.text.printable import printable
from autograder.text.wording import plural

MOST_NAMED = 20  # files that are left


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
    """Write a zip with what the course knows of the student with this id: what was handed in, points
    and feedback as the student sees them, marks and comments, times, inquiries.

    It has nothing of another student's, of hidden graders, and no notes of staff.
    """
    refuse_existing(to)
    with alone_in(course, gradebook) as (root, url):
        traces = _find(root, url, _subject(root, url, id))
        if agreed(_listed(traces, _when_exported), f"Write {to}?", yes):
            write_zip(to, handed_out(traces.found, id))
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

    Tables lose the student's rows. What is made of a whole class is deleted if it names the student,
    and can be made again. After an interruption, run it again.
    """
    with alone_in(course, gradebook) as (root, url):
        subject = _subject(root, url, id)
        traces = _find(root, url, subject)
        said = [*_listed(traces, _when_deleted), *_left(traces)]
        if not agreed(said, "Delete all of this for ever?", yes):
            return OK
        for path in (root / RESULTS).glob(f"*/{id}.json") if stays else []:
            if verdict := read_verdict(path):
                keep_points(path.parent, verdict, url)
        done = with_progress(delete_traces(root, traces, id), "deleting", len(traces.found))
        count = Counter(one.place.name for one in done)
        terminal.say(*(f"{name}: {number} done" for name, number in count.items()))
        left = [*_left(find_traces(course_files(root), url, subject))]
    terminal.say(*left or [f"Nothing in the course names {id} any more."])
    return FAILED if left else OK


def _subject(root: Path, url: str | None, id: str) -> Subject:
    """Return the student with this id, with the names that rosters and the gradebook at `url` have.
    Raises `CommandError` for an invalid id, or if one of these cannot be read.
    """
    if not is_student_id(id):
        raise CommandError(
            f"`{printable(id)}` is no student's id: take it from a roster, or from results/."
        )
    submitted = root / "submitted"
    store = submitted / RECEIVED
    sheets = [one.name for one in entries(store, store)] if store.is_dir() else []
    people = [one for sheet in sheets for one in read_roster(submitted, sheet).values()]
    people += [one for sheet in sheets for one in read_remembered(submitted, sheet)]
    entered = read_names(url) if url else {}
    return find_subject([*people, *(Person(one, *known) for one, known in entered.items())], id)


def _find(root: Path, url: str | None, subject: Subject) -> StudentTraces:
    """Return what the course has of a student, and show progress. Raises `CommandError` if it has
    nothing that shows that the id is a student's.
    """
    files = course_files(root)
    traces = find_traces(with_progress(files, "searching", len(files)), url, subject)
    if not any(one.is_of_student(subject.student) for one in traces.found):
        raise CommandError(
            f"No student has the id `{subject.student}` in `{root}`: see the rosters."
        )
    return traces


def _listed(traces: StudentTraces, what: Callable[[Place], str]) -> Iterator[str]:
    """Yield a line for each kind of places: how much is in it, and what happens with that."""
    count = Counter(one.place.name for one in traces.found)
    for place in PLACES:
        number = count[place.name]
        yield f"{place.name}: {f'{number}, {what(place)}' if number else 'nothing'}"


def _when_exported(place: Place) -> str:
    return f"goes into the zip {place.handed_out}" if place.handed_out else "stays here"


def _when_deleted(place: Place) -> str:
    return f"to be deleted; made again by: {place.again}" if place.again else "to be deleted"


def _left(traces: StudentTraces) -> Iterator[str]:
    """Yield sentences on the files that have to be looked at."""
    if number := len(traces.left):
        yield f"Not touched, look at {plural(number, 'file')} yourself:"
        yield from [f"  {label}: {why}" for label, why in traces.left.items()][:MOST_NAMED]
        yield from [f"  and {number - MOST_NAMED} more"] * (number > MOST_NAMED)
