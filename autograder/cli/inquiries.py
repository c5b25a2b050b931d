"""`inquiries`: take in students' doubts about marks, say who decides them, and record the answers."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from autograder.cli.exit_status import FAILED, OK, Command, refuse
from autograder.cli.inquiry_list import InquiryList
from autograder.cli.marked_by_hand import gradebook_url
from autograder.cli.options import PATH, in_course, of_gradebook
from autograder.cli.progress import with_progress
from autograder.cli.show import ids_called, why_nobody
from autograder.cli.sources import Sources, find_sources
from autograder.cli.student_record import read_everybody
from autograder.engine.course.course import Course, find_course
from autograder.engine.results import RESULTS
from autograder.files.csv_text import decoded
from autograder.report import terminal
from autograder.staff.inquiries.answering import AnswerToGive, answer_inquiry
from autograder.staff.inquiries.cases import decided_text
from autograder.staff.inquiries.intake import MAX_TEXT, Intake, Received, now_text, read_received
from autograder.staff.marking.markers import markers_of, share_of
from autograder.text.errors import CommandError
from autograder.text.wording import plural

in_folder = click.option(
    "--results", type=PATH, metavar="DIR", help="where verdicts are (the course's results/)"
)


@click.group("inquiries", no_args_is_help=False)
def inquiries() -> None:
    """Take in what students doubt about their marks, say who decides it, and record the answers.

    Pages of feedback say when and where a course takes inquiries: c.Inquiries in
    nbgrader_config.py.
    """


@inquiries.command(
    "add",
    short_help="record inquiries, from a table or one by one",
    cls=Command,
    statuses={OK: "recorded", FAILED: "some rows are refused, or nothing could be written"},
)
@click.argument(
    "table", type=click.Path(exists=True, dir_okay=False, path_type=Path), required=False
)
@click.option("--student", metavar="WHO", help="id, name or e-mail of one student")
@click.option("--assignment", metavar="ID", help="of which the student asks")
@click.option("--exercise", metavar="ID", help="about which, as the feedback page names it")
@click.option(
    "--text", metavar="TEXT", help="the student's words; - reads them from standard input"
)
@click.option("--received", metavar="TIME", help="when that came, such as 2026-12-01 18:00 (now)")
@click.option("--at-any-time", is_flag=True, help="also outside the time that the course has set")
@in_folder
@in_course
@of_gradebook
def add(
    table: Path | None,
    at_any_time: bool,
    results: Path | None,
    course: Path | None,
    gradebook: str | None,
    **one: str | None,
) -> int:
    """Record students' inquiries: those in TABLE, a CSV file with the columns student, assignment,
    exercise, text and received, or the one that the options say.

    It is one inquiry by student and exercise. What was recorded before is not recorded again, so
    that a form's table can be given as a whole each time.
    """
    rows = _one_row(one) if table is None else read_received(table)
    if table and any(one.values()):
        return refuse("Name a table, or say --student and the rest, not both.")
    where, sources = _sources(results, course, gradebook)
    people = read_everybody(sources)

    def who(called: str) -> str:
        """Return the id of the one student who is called so; raise `CommandError` without one."""
        if len(found := ids_called(called, people)) != 1:
            raise CommandError(why_nobody(called, found, people))
        return found[0]

    return _take(Intake(where, sources.results, who, at_any_time), rows)


@inquiries.command(
    "list",
    short_help="who decides what, with a page",
    cls=Command,
    statuses={OK: "written", FAILED: "the gradebook or a file cannot be used"},
)
@click.option("--for", "name", metavar="NAME", help="what this marker decides (everything)")
@click.option("--assignment", metavar="ID", help="one only (all that are graded)")
@in_folder
@in_course
@of_gradebook
def list_open(
    name: str | None,
    assignment: str | None,
    results: Path | None,
    course: Path | None,
    gradebook: str | None,
) -> int:
    """Write a page with the inquiries that one of c.Marking.markers decides, and never with what
    that person has marked: the answer beside its scheme, the points, the comment, the verdicts and
    the student's words.

    It also says how inquiries about what that person has marked were answered.
    """
    where, sources = _sources(results, course, gradebook, assignment)
    markers = markers_of(where)
    number = share_of(where, name)[0] if name else None
    url = gradebook_url(where, gradebook)
    found = False
    for one in sources.assignments:
        listed = InquiryList(where, sources.results, one, markers, number)
        if listed.inquiries:
            found = True
            terminal.say(*listed.write(url))
    if not found:
        terminal.say("No inquiry is recorded: `inquiries add` does that.")
    return OK


@inquiries.command(
    "answer",
    short_help="keep the points or change them, with a reason",
    cls=Command,
    statuses={OK: "recorded", FAILED: "the gradebook or a file cannot be used"},
)
@click.argument("student", metavar="STUDENT")
@click.argument("exercise", metavar="EXERCISE")
@click.option("--assignment", metavar="ID", required=True, help="of which the student asks")
@click.option("--by", metavar="NAME", required=True, help="who decides, and has not marked it")
@click.option("--kept", is_flag=True, help="the points stay")
@click.option("--points", type=float, metavar="N", help="the points that the exercise has now")
@click.option("--reason", metavar="TEXT", required=True, help="why, for the student")
@in_folder
@in_course
@of_gradebook
def answer(
    student: str,
    exercise: str,
    assignment: str,
    by: str,
    kept: bool,
    points: float | None,
    reason: str,
    results: Path | None,
    course: Path | None,
    gradebook: str | None,
) -> int:
    """Answer the inquiry of STUDENT (an id) about EXERCISE: keep the points, or enter others into
    the gradebook.

    Old and new points, who, when and why stay on record. The student reads the answer on the next
    page that `feedback` makes. After an interruption, type the same again.
    """
    if kept == (points is not None):
        return refuse("Say either --kept or --points N.")
    where, sources = _sources(results, course, gradebook, assignment)
    if markers := markers_of(where):  # a name that is misspelt could have marked it
        by = markers[share_of(where, by)[0] - 1]
    given = AnswerToGive((student, exercise), by.strip(), points, reason.strip())
    url = gradebook_url(where, gradebook)
    decision = answer_inquiry(sources.results, url, assignment, given)
    terminal.say(f"{student}, {exercise}: {decided_text(decision)}")
    terminal.say("The next `feedback` tells the student.")
    return OK


def _one_row(one: dict[str, Any]) -> list[Received]:
    """Return the one inquiry that the options say. Raises `CommandError` if one is missing."""
    missing = [name for name in ("student", "assignment", "exercise", "text") if not one[name]]
    if missing:
        raise CommandError(f"Name a table of inquiries, or say --{missing[0]}, too.")
    if one["text"] == "-":
        one["text"] = decoded(sys.stdin.buffer.read(4 * MAX_TEXT + 4))
    return [
        Received(**one | {"text": one["text"].strip(), "received": one["received"] or now_text()})
    ]


def _sources(
    results: Path | None, course: Path | None, gradebook: str | None, assignment: str | None = None
) -> tuple[Course, Sources]:
    """Return the course and where its data are. `results`: None for the folder that pages of
    feedback read. Raises `CommandError` if there is no course or nothing is graded.
    """
    where = find_course(course)
    folder = results or where.root / RESULTS
    return where, find_sources(folder, assignment, None, where.root, gradebook, True)


def _take(intake: Intake, rows: Sequence[Received]) -> int:
    """Record these inquiries, and say how many are new and which are refused; return the exit
    status. One that is refused keeps no other one out.
    """
    new, refused = 0, []
    for row in with_progress(rows, "inquiries", len(rows)):
        try:
            new += intake.take(row)
        except CommandError as error:
            if not row.place:
                raise
            refused.append(f"{row.place}{error}")
    before = len(rows) - new - len(refused)
    again = f" {before} recorded before." if before else ""
    terminal.say(f"{plural(new, 'inquiry', 'inquiries')} recorded.{again}")
    if refused:
        terminal.complain(*refused)
    return FAILED if refused else OK
