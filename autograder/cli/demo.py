"""`demo`: an invented class of 12, from a platform's download to the file that goes back."""

import shutil
from pathlib import Path

import click

from autograder.cli.collect import collect
from autograder.cli.exit_status import OK, refuse
from autograder.cli.export import export
from autograder.cli.grade import grade
from autograder.cli.release import release
from autograder.cli.sample_class import sample_class
from autograder.engine.assignment import find_assignment
from autograder.engine.course import CONFIG, Course, find_course, make_course
from autograder.report import terminal

STEPS = """
Where to look:
  demo/moodle-class.csv                  what each invented student handed in
  demo/results/{assignment}/            verdicts as JSON, grades.csv, and what goes back to Moodle
  demo/feedback/{student}/{assignment}/{assignment}.html
                                         a page that a student gets back
  cd demo && PATH=../.venv/bin:$PATH jupyter lab
                                         the same class in nbgrader's formgrader (menu: Nbgrader)
"""


@click.command("demo", short_help="grade an invented class in demo/, and show where to look")
@click.argument("assignment")
@click.option(
    "--course",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="nbgrader course (the nearest folder upwards)",
)
def demo(assignment: str, course: Path | None) -> int:
    """Make the release, grade an invented class of 12 in demo/, and show where to look.

    What was in demo/ before is deleted. Exit status: that of the first step that failed, or 0.
    """
    where = find_course(course)
    folder = where.root / "demo"
    if folder.exists() and not (folder / CONFIG).is_file():
        return refuse(f"`{folder}` is there and is no demo: move it away first.")
    return _run_steps(assignment, where, folder)


def _run_steps(assignment: str, course: Course, folder: Path) -> int:
    """Run one command after another; return the first exit status that is not 0."""
    download, submitted = str(folder / "moodle.zip"), str(folder / "submitted")
    results, sheet = str(folder / "results"), str(folder / "moodle-grading-worksheet.csv")
    which = ["--assignment", assignment, "--course", str(folder)]
    terminal.say(f"1. The release of {assignment}, made by nbgrader")
    if status := _run(release, [assignment, "--course", str(course.root)]):
        return status
    shutil.rmtree(folder, ignore_errors=True)
    make_course(folder, course)
    terminal.say("", "2. An invented class, as Moodle hands it out")
    if status := _run(sample_class, [download, "--as", "moodle", "--students", "12", *which]):
        return status
    terminal.say("", "3. Submissions")
    if status := _run(collect, [download, "--into", submitted, *which]):
        return status
    terminal.say("", "4. Verdicts and gradebook")
    if status := _run(grade, [submitted, "--results", results, *which]):
        return status
    terminal.say("", "5. Feedback, made by nbgrader")
    student = _make_feedback(assignment, folder)
    terminal.say("", "6. What goes back to Moodle")
    words = [results, "--format", "moodle", "--submitted", submitted, "--sheet", sheet]
    if status := _run(export, [*words, *which]):
        return status
    terminal.say(*STEPS.format(assignment=assignment, student=student).splitlines())
    return OK


def _run(command: click.Command, words: list[str]) -> int:
    with command.make_context(command.name, list(words)) as context:
        return command.invoke(context)


def _make_feedback(assignment: str, folder: Path) -> str:
    """Make a page for each student; return one of them."""
    from nbgrader.converters import GenerateFeedback

    from autograder.gradebook.nbgrader_course import NbgraderCourse

    course = find_course(folder)
    NbgraderCourse(course).convert(GenerateFeedback, find_assignment(assignment, course))
    return min(page.name for page in (folder / "feedback").iterdir())
