"""`look-alikes`: find similar submissions in a class."""

from collections.abc import Iterator
from pathlib import Path

import click

from autograder._commands import terminal
from autograder._commands.exit_status import FAILED, OK, Command, refuse
from autograder._commands.options import PATH, in_course, in_submitted, of_results, one_submitted
from autograder._commands.progress import with_progress
from autograder.authoring.variants import variants
from autograder.classroom.find import assignments_in, find_submissions, refuse_invalid_ids
from autograder.desk.look_alikes.answers import Reader
from autograder.desk.look_alikes.compare import Comparison, compare, percent
from autograder.desk.look_alikes.file import NAME
from autograder.desk.look_alikes.page import PAGE, write_file, write_page
from autograder.engine import (
    Assignment,
    Submission,
    find_assignment,
    find_course,
    limits,
    notebooks,
    plural,
)

MOST_SAID = 10  # pairs that are printed; the page has all


@click.command(
    "look-alikes",
    cls=Command,
    statuses={OK: "compared, whatever was found", FAILED: "a file could not be written"},
)
@in_submitted
@one_submitted
@of_results
@click.option(
    "--out", type=PATH, metavar="FOLDER", help="for the pages, <assignment>/look-alikes.html (DIR)"
)
@in_course
def look_alikes(
    place: Path, assignment: str | None, results: Path, out: Path | None, course: Path | None
) -> int:
    """Compare the submissions of a class, SUBMITTED/<student>/<assignment>/*.ipynb, exercise by
    exercise, and write a page that shows pairs side by side, for staff to look at.

    No code of students is run, no point depends on it, and no student's page shows it. Written are
    FOLDER/<assignment>/look-alikes.html and, for the class report, DIR/<assignment>/.look-alikes.json."""
    found_course = find_course(course)
    if place.is_file():
        return refuse(f"`{place}` is one notebook, and there is nothing to compare it with.")
    for chosen in (
        [find_assignment(assignment, found_course)]
        if assignment
        else assignments_in(place, found_course)
    ):
        _compare_one(place, chosen, results, out or results)
    return OK


def _compare_one(place: Path, assignment: Assignment, results: Path, out: Path) -> None:
    """Compare the submissions of an assignment, write the page and the file, and print the result.
    Submissions that exceed the limits are left out and named. Raises `NoSubmissions` if there are
    none.

    `place`: the folder of all submissions. `results`, `out`: folders of the file and of the page.
    """
    submissions = _read(place, assignment)
    reader = Reader(assignment, [variant.cells for variant in variants(assignment)])
    writers, unreadable = (
        [],
        [submission.student for submission in submissions if submission.unreadable],
    )
    for submission in submissions:
        try:
            writers += [] if submission.unreadable else [reader.read(submission)]
        except limits.OutOfBounds as error:
            unreadable.append(submission.student)
            terminal.complain(f"{submission.student}'s code {error}.")
    comparison = compare(writers, [cell.id for cell in assignment.cells], reader.independent)
    page, folder = out / assignment.id / PAGE, results / assignment.id
    write_page(page, assignment, comparison, reader, unreadable)
    write_file(folder / NAME, assignment, comparison, PAGE if page.parent == folder else None)
    terminal.say(f"{assignment.id}:", *_sentences(comparison, unreadable), f"-> {page}")


def _read(place: Path, assignment: Assignment) -> list[Submission]:
    """Return all submissions of an assignment, and show progress. Raises `NoSubmissions` if there
    are none.
    """
    paths, refused = refuse_invalid_ids(find_submissions(place, assignment))
    terminal.complain(*refused)
    return [
        notebooks.read_submission(assignment, student, notebook, place)
        for student, notebook in with_progress(paths.items(), "reading", len(paths))
    ]


def _sentences(comparison: Comparison, unreadable: list[str]) -> Iterator[str]:
    """Yield sentences on the result. `unreadable`: students with unreadable submissions."""
    left_out = [f"empty: {', '.join(comparison.empty)}"] * bool(comparison.empty)
    left_out += [f"not to be read: {', '.join(unreadable)}"] * bool(unreadable)
    compared = plural(comparison.compared, "submission was", "submissions were")
    yield f"{'; '.join([f'{compared} compared', *left_out])}."
    if comparison.compared < 2:
        yield "There is nothing to compare before two students have answered an exercise."
        return
    if comparison.cut:
        long_writers = ", ".join(comparison.cut)
        yield f"Compared in part, for they wrote far more than an exercise takes: {long_writers}."
    for group in comparison.identical:
        yield f"{len(group)} submissions are identical: {', '.join(group)}."
    if not comparison.found:
        yield "No pair is more alike than honest pairs are."
        return
    count = plural(len(comparison.found), "pair is", "pairs are")
    yield f"{count} more alike than honest pairs are. That proves nothing: look at the page."
    for look_alike in comparison.found[:MOST_SAID]:
        share, reached = percent(look_alike.pair.share), percent(look_alike.pair.by_chance)
        names = " and ".join(look_alike.pair.students)
        yield f"  {names}: {look_alike.most} {share} (honest pairs reach {reached})"
    if len(comparison.found) > MOST_SAID:
        yield f"  and {len(comparison.found) - MOST_SAID} more on the page"
