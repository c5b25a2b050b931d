"""`look-alikes`: find submissions of a class that are more alike than independent ones are."""

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
    found = find_course(course)
    if place.is_file():
        return refuse(f"`{place}` is one notebook, and there is nothing to compare it with.")
    for one in [find_assignment(assignment, found)] if assignment else assignments_in(place, found):
        _compare_one(place, one, results, out or results)
    return OK


def _compare_one(place: Path, assignment: Assignment, results: Path, out: Path) -> None:
    """Compare the submissions of one assignment; write the page and the file for the class report,
    and print what was found. A submission that cannot be read in the limits is left out and named.

    `place`: the folder of all submissions; `results`: where the file goes; `out`: where the page
    goes. Raises `NoSubmissions` if there are none.
    """
    submissions = _read(place, assignment)
    reader = Reader(assignment, [one.cells for one in variants(assignment)])
    writers, unreadable = [], [one.student for one in submissions if one.unreadable]
    for one in submissions:
        try:
            writers += [] if one.unreadable else [reader.read(one)]
        except limits.OutOfBounds as error:
            unreadable.append(one.student)
            terminal.complain(f"{one.student}'s code {error}.")
    found = compare(writers, [cell.id for cell in assignment.cells], reader.independent)
    page, folder = out / assignment.id / PAGE, results / assignment.id
    write_page(page, assignment, found, reader, unreadable)
    write_file(folder / NAME, assignment, found, PAGE if page.parent == folder else None)
    terminal.say(f"{assignment.id}:", *_sentences(found, unreadable), f"-> {page}")


def _read(place: Path, assignment: Assignment) -> list[Submission]:
    """Return all submissions of an assignment in the folder `place`, and show progress. Raises
    `NoSubmissions` if there are none.
    """
    paths, refused = refuse_invalid_ids(find_submissions(place, assignment))
    terminal.complain(*refused)
    return [
        notebooks.read_submission(assignment, student, notebook, place)
        for student, notebook in with_progress(paths.items(), "reading", len(paths))
    ]


def _sentences(found: Comparison, unreadable: list[str]) -> Iterator[str]:
    """Yield sentences on what was compared and found. `unreadable`: the students whose submissions
    could not be read.
    """
    without = [f"empty: {', '.join(found.empty)}"] * bool(found.empty)
    without += [f"not to be read: {', '.join(unreadable)}"] * bool(unreadable)
    compared = plural(found.compared, "submission was", "submissions were")
    yield f"{'; '.join([f'{compared} compared', *without])}."
    if found.compared < 2:
        yield "There is nothing to compare before two students have answered an exercise."
        return
    if found.cut:
        many = ", ".join(found.cut)
        yield f"Compared in part, for they wrote far more than an exercise takes: {many}."
    for group in found.identical:
        yield f"{len(group)} submissions are identical: {', '.join(group)}."
    if not found.found:
        yield "No pair is more alike than honest pairs are."
        return
    count = plural(len(found.found), "pair is", "pairs are")
    yield f"{count} more alike than honest pairs are. That proves nothing: look at the page."
    for one in found.found[:MOST_SAID]:
        share, reached = percent(one.pair.share), percent(one.pair.by_chance)
        names = " and ".join(one.pair.students)
        yield f"  {names}: {one.most} {share} (honest pairs reach {reached})"
    if len(found.found) > MOST_SAID:
        yield f"  and {len(found.found) - MOST_SAID} more on the page"
