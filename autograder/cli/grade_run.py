"""One grading run as a person starts it: progress, verdicts, gradebook, the table at the end."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from autograder.files import Busy
from autograder.engine.assignment import Assignment
from autograder.classroom.run import ClassRun
from autograder.gradebook.writer import GradebookWriter
from autograder.classroom.errors import NoScheduler, NoWalls, NoWorkers
from autograder.classroom.dispatch import grade_all, processors
from autograder.classroom.store import ResultStore
from autograder.classroom.find import (
    Entry,
    NoSubmissions,
    find_submissions,
    in_layout,
    placed,
)
from autograder.classroom.table import write_table
from autograder.classroom.worker import best_walls
from autograder.engine.course import NoCourse, course_folder
from autograder.engine.submission import Handed
from autograder.people import Person, RosterError, read_roster, roster_path
from autograder.cli.interrupt import remembered
from autograder.report import terminal
from autograder.gradebook.check_cell import number
from autograder.report.class_table import changes_table, class_table
from autograder.engine.fingerprint import NAMESPACES, PRACTICE, RunSettings
from autograder.cli.exit_status import FAILED, NOT_GRADED, OK, refuse

if TYPE_CHECKING:
    from autograder.gradebook.nbgrader_course import Course


def run_grading(assignment: Assignment, options: argparse.Namespace) -> int:
    """Grade what is new or changed; return the exit status of contract 4."""
    try:
        entries, refused = placed(find_submissions(options.place, assignment))
        level, why = _level(options.sandbox)
        settings = RunSettings(assignment, level, options.seed)
        folders = {entry.student: entry.notebook.parent for entry in entries}
        store = ResultStore(options.results, assignment.id)
        with store.mine():
            people, notes = _people(options.place, assignment)
            writer = _clerk(_course(options, settings), assignment, folders, people)
            writer.notes += notes
            run = ClassRun(settings, options.results, store, writer)
            return _Session(run, options, why).hold(entries, refused)
    except (NoSubmissions, NoCourse, NoScheduler, Busy) as error:
        return refuse(str(error))
    except (NoWalls, NoWorkers) as error:
        return refuse(str(error), NOT_GRADED)


def _level(wanted: str) -> tuple[str, str]:
    """The walls of this run, and why there are no better ones."""
    if wanted == "auto":
        return best_walls()
    return (PRACTICE if wanted == "off" else NAMESPACES), ""


def _course(options: argparse.Namespace, settings: RunSettings) -> Course | None:
    """This folder's course if it is one, else the project's own. Raises `NoCourse`.

    None for practice, and for a notebook from anywhere: nobody knows whose it is.
    """
    nobodys = not in_layout(options.place, settings.assignment)
    if options.no_gradebook or settings.sandbox == PRACTICE or nobodys:
        return None
    folder = course_folder(options.course)
    from autograder.gradebook.nbgrader_course import Course  # nbgrader takes seconds to import
    from autograder.gradebook.url import NoGradebook, check_gradebook

    course = Course(folder, options.gradebook)
    try:
        check_gradebook(course.db_url)
    except NoGradebook as error:
        raise NoCourse(str(error)) from error
    return course


def _people(place: Path, assignment: Assignment) -> tuple[dict[str, Person], list[str]]:
    """Who is who on the platform, as `collect` kept it; names are not worth stopping for."""
    try:
        return read_roster(roster_path(place, assignment.id)), []
    except RosterError as error:
        return {}, [f"No names are entered: {error}"]


def _clerk(
    course: Course | None,
    assignment: Assignment,
    folders: dict[str, Path],
    people: dict[str, Person],
) -> GradebookWriter:
    """Whoever enters verdicts. Raises `NoCourse`."""
    if course is None:
        return GradebookWriter(None, assignment, folders, people)
    from autograder.gradebook.late import PolicyError

    try:
        return GradebookWriter(course, assignment, folders, people)
    except PolicyError as error:
        raise NoCourse(str(error)) from error


class _Session:
    """A run, and the person who looks on."""

    def __init__(self, run: ClassRun, options: argparse.Namespace, why: str):
        self.run = run
        self.options = options
        self.why = why  # there are no walls
        self.console = terminal.console()

    def hold(self, entries: list[Entry], refused: list[str]) -> int:
        """Grade, ask, write, and show; return the exit status."""
        run = self.run
        try:
            todo = run.read(entries, self.options.regrade)
            self._grade(todo)
            declined = not self._settle()
        finally:  # also after Ctrl-C: what is finished is entered
            troubles = run.writer.finish()
            table = write_table(self.options.results, run.settings.assignment)
        verdicts = sorted([*run.kept, *run.made, *run.failed], key=lambda one: one.student)
        self.console.print(class_table(run.settings.assignment, verdicts))
        reasons = [f"{one.student}: {one.reason}" for one in verdicts if one.reason]
        for sentence in (
            *reasons,
            *refused,
            *run.writer.notes,
            *troubles,
            *self._summary(table, declined),
        ):
            self._tell(sentence)
        if refused or any(verdict.state == "not_graded" for verdict in verdicts):
            return NOT_GRADED
        return FAILED if troubles else OK

    def _grade(self, todo: list[Handed]) -> None:
        """Grade, and show how far it is."""
        total = sum(map(len, self.run.ungraded.values()))
        jobs = self.options.jobs or processors()
        settings, scheduler = self.run.settings, self.options.scheduler
        outcomes = grade_all(todo, settings, jobs, scheduler, tell=self._tell) if todo else ()
        lively = self.console.is_terminal
        columns = (
            *(TextColumn("grading"), BarColumn(), MofNCompleteColumn(), _Rate()),
            TimeRemainingColumn(),
        )
        with (
            remembered() as heed_ctrl_c,
            Progress(*columns, console=self.console, transient=True, disable=not lively) as bar,
        ):
            task = bar.add_task("grading", total=total)
            for count, verdict in enumerate(self.run.grade(outcomes), start=1):
                heed_ctrl_c()
                bar.advance(task)
                if not lively:
                    points = number(verdict.points)
                    print(f"{count}/{total} {verdict.student} {verdict.state} {points}", flush=True)

    def _tell(self, sentence: str) -> None:
        self.console.print(sentence, markup=False, soft_wrap=True)

    def _settle(self) -> bool:
        """Show what changes for whom, and write it unless somebody says no."""
        changes = self.run.changes()
        if changes:
            self.console.print(changes_table(changes))
        if self.run.held and not self._agreed(len(changes)):
            return False
        self.run.settle()
        return True

    def _agreed(self, count: int) -> bool:
        """Whether what is made again may be written, of which so many would change points."""
        if self.options.changes == "show":
            return False
        if not count or self.options.changes == "write" or not self.console.is_terminal:
            return True
        answer = self.console.input(f"Write these {count} changes? \\[y/N] ")
        return answer.strip().lower() in ("y", "yes")

    def _summary(self, table: Path, declined: bool) -> Iterator[str]:
        run = self.run
        if declined:
            yield f"{len(run.held)} verdicts that were made again are not written: all is as it was."
        missing = sum(one.state == "not_graded" for one in (*run.made, *run.failed))
        again = f", {missing} not graded: run again for them" if missing else ""
        yield (
            f"{len(run.made) + len(run.failed) - missing} graded, {len(run.kept)} as they were"
            f"{again}. Verdicts and table: {table.parent}/"
        )
        if run.failed:
            yield "Of those that were graded before, the verdicts stay."
        if run.settings.sandbox == PRACTICE:
            why = f" ({self.why})" if self.why else ""
            yield f"No walls{why}: these verdicts are practice, and no gradebook takes them."


class _Rate(TextColumn):
    """Submissions a minute."""

    def __init__(self) -> None:
        super().__init__("")

    def render(self, task):
        return f"{(task.speed or 0) * 60:.0f} a minute"
