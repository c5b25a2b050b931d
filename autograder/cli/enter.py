"""`enter`: verdict files into nbgrader's gradebook."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.classroom.find import NoSubmissions, find_submissions, refuse_invalid_ids
from autograder.cli.exit_status import FAILED, OK, Command, refuse, worst
from autograder.cli.options import PATH, in_course, in_results, of_gradebook, one_in_results
from autograder.cli.penalties import ClassPenalties, enter_again
from autograder.engine.assignment import find_assignment
from autograder.engine.course import find_course
from autograder.engine.results import ResultsFolder
from autograder.gradebook.enter import GradebookSync
from autograder.gradebook.late_files import PolicyError
from autograder.locks import Busy
from autograder.people import RosterError, read_roster
from autograder.platforms.errors import ExportError
from autograder.report import terminal
from autograder.wording import plural

if TYPE_CHECKING:
    from autograder.gradebook.opened_later import OpenedLater


@click.command(
    "enter",
    short_help="enter verdicts into nbgrader's gradebook",
    cls=Command,
    statuses={OK: "the gradebook says what the verdicts say", FAILED: "it did not take all"},
)
@in_results
@one_in_results
@click.option(
    "--submitted",
    type=PATH,
    metavar="DIR",
    help="submissions, for when they were handed in and whose they are (the course's submitted/)",
)
@in_course
@of_gradebook
@click.option("--no-penalties", is_flag=True, help="enter nothing of what being late costs")
def enter(
    results: Path,
    assignment: str | None,
    submitted: Path | None,
    course: Path | None,
    gradebook: str | None,
    no_penalties: bool,
) -> int:
    """Enter the verdicts in RESULTS into nbgrader's gradebook: what is there stays, what differs is
    entered. Points and comments by hand stay.

    `grade` does it at its end; it may be done at any time, and any number of times.
    """
    from autograder.gradebook.opened_later import OpenedLater  # these import SQLAlchemy
    from autograder.platforms.grades import assignments_in

    entered: list[ClassPenalties] = []
    statuses = []
    try:
        found = find_course(course)
        address = OpenedLater(found, gradebook)
        place = submitted or found.root / "submitted"
        folder, known = assignments_in(results)
        if assignment is not None:
            known = [one for one in known if one == find_assignment(assignment, found).id]
        if not known:
            of_it = f" of `{assignment}`" if assignment else ""
            return refuse(f"No verdicts{of_it} are in `{results}`: `grade` writes them.")
        for one in known:
            kept = ResultsFolder(folder, find_assignment(one, found))
            with kept.exclusively():
                target = _gradebook(address, kept, place)
                statuses.append(_enter(target, place, no_penalties, entered))
        terminal.say(*enter_again(entered[:-1]))
    except (ExportError, PolicyError, Busy, RosterError) as error:
        return refuse(str(error))
    return worst(statuses)


def _gradebook(course: OpenedLater, results: ResultsFolder, place: Path) -> GradebookSync:
    """What enters the verdicts, with the times and names that are known of those who handed in."""
    id = results.assignment.id
    try:
        notebooks, _ = refuse_invalid_ids(find_submissions(place, results.assignment))
    except NoSubmissions:
        notebooks = {}
    folders = {student: notebook.parent for student, notebook in notebooks.items()}
    return GradebookSync(course, results, place, folders, read_roster(place, id))


def _enter(
    gradebook: GradebookSync, place: Path, no_penalties: bool, entered: list[ClassPenalties]
) -> int:
    """Enter what differs in one assignment, and say it; return the exit status."""
    troubles = gradebook.enter()
    id = gradebook.assignment.id
    terminal.say(f"{id}: {plural(gradebook.count, 'verdict')} entered.")
    late = ClassPenalties(gradebook, place)
    terminal.say(*late.reasons())
    lines, more = late.enter(not no_penalties)
    terminal.say(*lines, *troubles, *more)
    if not no_penalties:
        entered.append(late)
    return FAILED if troubles or more else OK
