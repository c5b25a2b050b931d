"""`marking page` and `marking enter`: write the page for marking offline, and enter its marks."""

from collections.abc import Iterator
from pathlib import Path

import click

from autograder._commands import terminal
from autograder._commands.exit_status import FAILED, OK, Command
from autograder._commands.options import in_course, of_gradebook
from autograder.desk.commands.marked_by_hand import (
    FORMGRADER,
    answers_in_gradebook,
    by_student_or_answer,
    give_members_their_groups_marks,
    gradebook_url,
    into_folder,
    marking_folder,
    one_assignment,
    say_compared,
    some_twice,
    track_pages,
)
from autograder.desk.marking.answers import groups
from autograder.desk.marking.enter_marks import about_entry, enter_marks
from autograder.desk.marking.markers import find_marker
from autograder.desk.marking.marking_page import write_marking_page
from autograder.desk.marking.marks_file import read_marks_file
from autograder.desk.marking.second_marks import compare_marks
from autograder.desk.marking.shares import Share
from autograder.engine import find_course, grading, name_some, plural


@click.command(
    "page",
    short_help="a page on which a marker marks, offline",
    cls=Command,
    statuses={OK: "written", FAILED: "the gradebook or a file cannot be used"},
)
@one_assignment
@click.option(
    "--for", "name", required=True, metavar="NAME", help="who marks: a name of c.Marking.markers"
)
@by_student_or_answer
@some_twice
@into_folder
@in_course
@of_gradebook
def page(
    named: str | None,
    name: str,
    by: str,
    percent: float,
    out: Path | None,
    course: Path | None,
    gradebook: str | None,
) -> int:
    """Write the page on which NAME marks an own share: one HTML file, which works offline.

    Equal answers are marked together, with the lines of the marking scheme as items that have
    points; the page's help names its keys. Its marks stay in the browser until they are saved to a
    file, which `marking enter` reads. With --second, answers that somebody else marks first are
    among them, and the page does not say which.
    """
    found_course = find_course(course)
    marker = find_marker(found_course, name)
    for assignment, answers, unread in answers_in_gradebook(
        found_course, named, gradebook, FORMGRADER
    ):
        share = Share(assignment, answers, marker.number, marker.markers, by, percent)
        own_answers = {
            answer.name: answer for answer in (*share.to_mark, *share.to_mark_again)
        }.values()
        answers_to_mark = [answer for answer in own_answers if answer.cell.is_written]
        folder = marking_folder(out, assignment, named)
        path = write_marking_page(
            folder, assignment, marker.name, groups(answers), answers_to_mark, track_pages
        )
        terminal.say(
            f"{assignment.id}: {plural(len(answers_to_mark), 'answer')} for {marker.name} to mark."
        )
        terminal.say(*_not_on_page(len(own_answers) - len(answers_to_mark), unread), f"-> {path}")
    return OK


@click.command(
    "enter",
    short_help="marks that were saved from such pages, into the gradebook",
    cls=Command,
    statuses={OK: "entered", FAILED: "some marks are left out, or a file cannot be used"},
)
@click.argument(
    "files",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    nargs=-1,
    required=True,
    metavar="FILE...",
)
@in_course
@of_gradebook
def enter(files: tuple[Path, ...], course: Path | None, gradebook: str | None) -> int:
    """Enter the marks of each FILE, saved from a page of `marking page`, into the gradebook.

    Entering a file again changes nothing. A marker's later mark takes the place of the own earlier
    one; where somebody else has marked, the gradebook keeps that mark, and both are compared as
    `marking compare` does. A mark whose answer has changed since is left out.
    """
    found_course = find_course(course)
    url = gradebook_url(found_course, gradebook)
    status, all_saved = OK, [read_marks_file(path) for path in files]
    for saved, marker in [
        (saved_marks, find_marker(found_course, saved_marks.marker).name)
        for saved_marks in all_saved
    ]:
        assignments = [*answers_in_gradebook(found_course, saved.assignment, url, FORMGRADER)]
        status = status if assignments else FAILED
        for _, answers, _ in assignments:
            entry = enter_marks(url, found_course.root / grading.RESULTS, saved, marker, answers)
            terminal.say(*about_entry(saved, marker, entry))
            if entry.second:
                say_compared(compare_marks(saved.assignment, entry.second, answers))
            status = FAILED if entry.left_out else status
        give_members_their_groups_marks(found_course, url, saved.assignment)
    return status


def _not_on_page(checked: int, unread: list[str]) -> Iterator[str]:
    """Yield sentences on answers that are missing on the page. `checked`: number of answers graded
    by a check. `unread`: students with an unreadable graded notebook.
    """
    if checked:
        yield f"To look at in formgrader, as a check has graded them: {checked}."
    if unread:
        yield f"Left out, because the graded notebook cannot be read: {name_some(unread)}. Grade again."
