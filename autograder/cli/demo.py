"""`demo`: an invented class of 12, from a platform's downloads to the files that go back."""

import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click

from autograder.cli.collect import collect
from autograder.cli.exit_status import FAILED, OK, Command, refuse
from autograder.cli.export import export
from autograder.cli.grade import grade
from autograder.cli.options import in_course, some_assignments
from autograder.cli.release import release
from autograder.cli.report import report
from autograder.cli.sample_class import sample_class
from autograder.engine.course.assignment import find_assignment
from autograder.engine.course.course import CONFIG, Course, find_course, make_course
from autograder.engine.course.which import with_exercises
from autograder.report import terminal

STUDENTS = 12
WIDTH = 39  # of the column with the files


@click.command(
    "demo",
    short_help="grade an invented class in demo/, and show where to look",
    cls=Command,
    statuses={
        OK: "done",
        FAILED: "an assignment could not be read, and is left out; or what the first step that failed says",
    },
)
@some_assignments
@in_course
def demo(names: tuple[str, ...], course: Path | None) -> int:
    """Make the release, grade an invented class of 12 in demo/, and show where to look.

    What was in demo/ before is deleted.
    """
    where = find_course(course)
    folder = where.root / "demo"
    if folder.exists() and not (folder / CONFIG).is_file():
        return refuse(f"`{folder}` is there and is no demo: move it away first.")
    ids: list[str] = list(names)
    damaged: list[str] = []
    if not ids:
        sound, damaged = with_exercises(where)
        ids = [one.id for one in sound]
    status = _run_steps(ids, where, folder)
    terminal.complain(*damaged)
    return status or (FAILED if damaged else OK)


def _run_steps(ids: Sequence[str], course: Course, folder: Path) -> int:
    """Run one command after another; return the first exit status that is not 0."""
    for step in (_release, _invent, _collect, _grade, _report, _give_back):
        if status := step(ids, course, folder):
            return status
    return OK


def _release(ids: Sequence[str], course: Course, folder: Path) -> int:
    terminal.say("1. The release, made by nbgrader")
    return _run(release, [*ids, "--course", str(course.root)])


def _invent(ids: Sequence[str], course: Course, folder: Path) -> int:
    shutil.rmtree(folder, ignore_errors=True)
    make_course(folder, course)
    terminal.say("", "2. An invented class, as Moodle hands it out")
    words = ["--as", "moodle", "--students", str(STUDENTS), "--course", str(folder)]
    return _run_each(
        sample_class, [[str(_zip(folder, id)), "--assignment", id, *words] for id in ids]
    )


def _collect(ids: Sequence[str], course: Course, folder: Path) -> int:
    terminal.say("", "3. Submissions")
    words = ["--into", str(folder / "submitted"), "--course", str(folder)]
    return _run_each(collect, [[str(_zip(folder, id)), *words] for id in ids])


def _grade(ids: Sequence[str], course: Course, folder: Path) -> int:
    terminal.say("", "4. Verdicts and gradebook")
    words = ["--results", str(folder / "results"), "--course", str(folder)]
    return _run(grade, [str(folder / "submitted"), *words])


def _report(ids: Sequence[str], course: Course, folder: Path) -> int:
    terminal.say("", "5. One page about the class")
    words = [str(folder / "results"), "--out", str(folder / "report.html")]
    return _run(report, [*words, "--course", str(folder)])


def _give_back(ids: Sequence[str], course: Course, folder: Path) -> int:
    terminal.say("", "6. Feedback, made by nbgrader")
    student = _make_feedback(ids, folder)
    terminal.say("", "7. What goes back to Moodle")
    words = [str(folder / "results"), "--format", "moodle", "--course", str(folder)]
    words += ["--submitted", str(folder / "submitted")]
    sheets = {id: _zip(folder, id).with_name(f"{id}-grading-worksheet.csv") for id in ids}
    status = _run_each(
        export, [[*words, "--assignment", id, "--sheet", str(sheets[id])] for id in ids]
    )
    if not status:
        terminal.say(*_where_to_look(ids, student))
    return status


def _zip(folder: Path, id: str) -> Path:
    """Where the platform's download of one assignment lies."""
    return folder / "moodle" / f"{id}.zip"


def _run_each(command: click.Command, lines: Iterable[list[str]]) -> int:
    """Run a command with each of these lines of words, until one fails; return its exit status."""
    return next((status for words in lines if (status := _run(command, words))), OK)


def _run(command: click.Command, words: list[str]) -> int:
    with command.make_context(command.name, list(words)) as context:
        return command.invoke(context)


def _make_feedback(ids: Sequence[str], folder: Path) -> str:
    """Make a page for each student and assignment; return one student."""
    from nbgrader.converters import GenerateFeedback

    from autograder.gradebook.nbgrader_course import NbgraderCourse

    course = find_course(folder)
    for id in ids:
        NbgraderCourse(course).convert(GenerateFeedback, find_assignment(id, course))
    return min(page.name for page in (folder / "feedback").iterdir())


def _where_to_look(ids: Sequence[str], student: str) -> Iterator[str]:
    """The lines at the end: where things lie, and what they are."""
    yield from ("", "Where to look:")
    yield from _entry("demo/report.html", "the class: points, checks, mistakes")
    for id in ids:
        page = f"demo/feedback/{student}/{id}/{id}.html"
        yield from _entry(f"demo/moodle/{id}-class.csv", "what each invented student handed in")
        yield from _entry(f"demo/results/{id}/", "verdicts, grades.csv, what goes back to Moodle")
        yield from _entry(page, "a page that a student gets back")
    formgrader = "the same class in nbgrader's formgrader (menu: Nbgrader)"
    yield from _entry("cd demo && PATH=../.venv/bin:$PATH jupyter lab", formgrader)


def _entry(what: str, words: str) -> Iterator[str]:
    """One thing and what it is, in a line below where the thing is too long."""
    if len(what) < WIDTH:
        yield f"  {what:{WIDTH}}{words}"
    else:
        yield f"  {what}"
        yield f"  {'':{WIDTH}}{words}"
