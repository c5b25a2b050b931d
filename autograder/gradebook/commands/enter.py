"""`enter`: enter verdict files into nbgrader's gradebook."""

from dataclasses import replace
from pathlib import Path

import click

from autograder._commands import terminal
from autograder._commands.exit_status import FAILED, OK, Command, worst
from autograder._commands.options import PATH, in_course, in_results, of_gradebook, one_in_results
from autograder.classroom.find import submissions_in, trusted_folder
from autograder.classroom.roster import read_roster
from autograder.engine import ResultsFolder, find_assignment, find_course, plural
from autograder.gradebook.commands.penalties import enter_class_penalties, late_students
from autograder.gradebook.grades import assignments_in, without_points
from autograder.gradebook.sync.choices import GradedClass, graded_class
from autograder.gradebook.sync.class_penalties import read_penalties
from autograder.gradebook.sync.enter import enter_verdicts
from autograder.gradebook.sync.nbgrader_course import NbgraderCourse, open_course
from autograder.gradebook.table import write_table


@click.command(
    "enter",
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
    statuses = []
    course_found = find_course(course)
    gradebook_course = open_course(course_found, gradebook)
    submitted_folder = submitted or course_found.root / "submitted"
    assignment_id = find_assignment(assignment, course_found).id if assignment else None
    folder, assignment_ids = assignments_in(results, assignment_id)
    for id in assignment_ids:
        results_folder = ResultsFolder(folder, find_assignment(id, course_found))
        with results_folder.exclusively():
            notebooks, _ = submissions_in(submitted_folder, results_folder.assignment)
            graded = class_to_enter(gradebook_course, results_folder, submitted_folder, notebooks)
            statuses.append(_enter(graded, submitted_folder, not no_penalties))
    return worst(statuses)


def class_to_enter(
    course: NbgraderCourse, results: ResultsFolder, place: Path, notebooks: dict[str, Path]
) -> GradedClass:
    """Return the class to enter into the course's gradebook, with its verdicts in `results`.

    `place`: the folder of all submissions, or a single notebook. `notebooks`: paths by student.
    Without a readable roster, no names are entered. Raises `AutograderError` if the late policy is
    invalid.
    """
    folders = {student: notebook.parent for student, notebook in notebooks.items()}
    top = trusted_folder(place, results.assignment)
    graded = graded_class(course, results, top, folders)  # refuses files before the roster is read
    return replace(graded, people=read_roster(place, results.assignment.id))


def _enter(graded: GradedClass, place: Path, with_penalties: bool) -> int:
    """Enter changed verdicts and penalties, print a summary, and return the exit status."""
    entered = enter_verdicts(graded, with_penalties)
    write_table(graded.results.results, graded.assignment)
    as_they_were = f", {entered.unchanged} as they were" if entered.unchanged else ""
    count = plural(entered.count, "verdict")
    terminal.say(f"{graded.assignment.id}: {count} entered{as_they_were}.")
    if practice := len(graded.results.practice()):
        terminal.say(
            f"Not entered: {plural(practice, 'practice verdict')}, graded without a sandbox."
        )
    terminal.say(*without_points(entered.without_points))
    penalties = read_penalties(graded, entered)
    terminal.say(*late_students(graded, entered, penalties, place).lines)
    lines, failures = enter_class_penalties(graded, penalties, with_penalties)
    terminal.say(*lines, *entered.troubles, *failures)
    return FAILED if entered.troubles or failures else OK
