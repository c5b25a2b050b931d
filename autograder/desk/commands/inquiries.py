"""`inquiries`: record students' inquiries about marks, list their deciders, and record answers."""

import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from autograder._commands import terminal
from autograder._commands.exit_status import FAILED, OK, Command, refuse
from autograder._commands.options import in_course, of_gradebook
from autograder._commands.progress import with_progress
from autograder.classroom.roster import Person
from autograder.desk.commands.marked_by_hand import (
    FORMGRADER,
    give_members_their_groups_marks,
    gradebook_url,
    track_pages,
)
from autograder.desk.commands.show import id_called
from autograder.desk.commands.student_record import read_everybody
from autograder.desk.inquiries.answering import AnswerToGive, answer_inquiry
from autograder.desk.inquiries.intake import MAX_TEXT, Intake
from autograder.desk.inquiries.page import InquiryList
from autograder.desk.marking.markers import find_marker, markers_of
from autograder.desk.sources import find_sources
from autograder.engine import (
    Assignment,
    AutograderError,
    Course,
    courses,
    files,
    find_assignment,
    find_course,
    grading,
    plural,
)
from autograder.gradebook.lateness.late_policy import course_zone
from autograder.gradebook.sync.database import gradebook_of

COLUMNS = "student", "assignment", "exercise", "text", "received"
Rows = Sequence[tuple[int, Mapping[str, Any]]]  # line and cells


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
@in_course
@of_gradebook
def add(
    table: Path | None,
    at_any_time: bool,
    course: Path | None,
    gradebook: str | None,
    **options: str | None,
) -> int:
    """Record students' inquiries: those in TABLE, a CSV file with the columns student, assignment,
    exercise, text and received, or the one that the options say.

    It is one inquiry by student and exercise. What was recorded before is not recorded again, so
    that a form's table can be given as a whole each time.
    """
    present = [bool(options[name]) for name in COLUMNS[:-1]]
    if any(present) if table else not all(present):
        return refuse("Name a table, or say --student, --assignment, --exercise and --text.")
    found_course = find_course(course)
    results = found_course.root / grading.RESULTS
    people = _people(found_course, gradebook)
    if options["text"] == "-":
        options["text"] = files.decoded(sys.stdin.buffer.read(4 * MAX_TEXT + 4))
    options["received"] = options["received"] or datetime.now(UTC).isoformat()
    rows = files.read_table(table).records(*COLUMNS) if table else [(0, options)]
    config, url = courses.read_config(found_course.root), gradebook_of(found_course, gradebook)
    return _take(table, rows, people, Intake(found_course, config, results, url, at_any_time))


@inquiries.command(
    "list",
    short_help="who decides what, with a page",
    cls=Command,
    statuses={OK: "written", FAILED: "the gradebook or a file cannot be used"},
)
@click.option("--for", "name", metavar="NAME", help="what this marker decides (everything)")
@click.option("--assignment", metavar="ID", help="one only (all that are graded)")
@in_course
@of_gradebook
def list_open(
    name: str | None,
    assignment: str | None,
    course: Path | None,
    gradebook: str | None,
) -> int:
    """Write a page with the inquiries that one of c.Marking.markers decides, and never with what
    that person has marked: the answer beside its scheme, the points, the comment, the verdicts and
    the student's words.

    It also says how inquiries about what that person has marked were answered.
    """
    found_course = find_course(course)
    marker = find_marker(found_course, name).name if name else ""
    ids = (
        [find_assignment(assignment, found_course).id]
        if assignment
        else courses.assignments(found_course)
    )
    url = gradebook_url(found_course, gradebook)
    for id in ids:
        listed = InquiryList(
            Assignment(id, found_course),
            found_course.root / grading.RESULTS,
            markers_of(found_course),
            marker,
        )
        terminal.say(*listed.write(url, FORMGRADER, track_pages))
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
    course: Path | None,
    gradebook: str | None,
) -> int:
    """Answer the inquiry of STUDENT (id, name or e-mail) about EXERCISE: keep the points, or enter
    others into the gradebook.

    Old and new points, who, when and why stay on record. The student reads the answer on the next
    page that `feedback` makes. After an interruption, type the same again.
    """
    if kept == (points is not None):
        return refuse("Say either --kept or --points N.")
    found_course = find_course(course)
    if markers_of(found_course):  # a name that is misspelt could have marked it
        by = find_marker(found_course, by).name
    student = id_called(student, _people(found_course, gradebook))
    answer_to_give = AnswerToGive((student, exercise), by.strip(), points, reason.strip())
    url = gradebook_url(found_course, gradebook)
    inquiry_assignment = find_assignment(assignment, found_course)
    decision = answer_inquiry(inquiry_assignment, url, answer_to_give)
    give_members_their_groups_marks(found_course, url, inquiry_assignment.id)
    sentence = decision.sentence(course_zone(found_course))
    terminal.say(f"{student}, {exercise}: {sentence}")
    terminal.say("The next `feedback` tells the student.")
    return OK


def _people(course: Course, gradebook: str | None) -> dict[str, Person]:
    """Return all known people by id. Raises `AutograderError` or `OSError` if a table or the
    gradebook cannot be read.
    """
    results = course.root / grading.RESULTS
    return read_everybody(find_sources(results, None, None, course.root, gradebook, True))


def _take(table: Path | None, rows: Rows, people: dict[str, Person], intake: Intake) -> int:
    """Record the inquiries in these rows, and print the number of new inquiries and the refusals.
    Return the exit status. Refused rows do not stop other rows.

    `rows`: line number and cells. `table`: the file of the rows. Without it, the only row is from
    the options, and its refusal is raised as `AutograderError`. `people`: by id.
    """
    new_count, refused = 0, []
    for line, row in with_progress(rows, "inquiries", len(rows)):
        try:
            new_count += intake.take(
                id_called(row["student"], people), {name: row[name].strip() for name in COLUMNS}
            )
        except AutograderError as error:
            if table is None:
                raise
            refused.append(f"`{table}`, line {line}: {error}")
    repeated = len(rows) - new_count - len(refused)
    new_text = f"{plural(new_count, 'inquiry', 'inquiries')} recorded"
    terminal.say(f"{new_text}; {repeated} recorded before." if repeated else f"{new_text}.")
    terminal.complain(*refused)
    return FAILED if refused else OK
