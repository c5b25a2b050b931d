"""`grade`: a folder of submissions, or one notebook."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from autograder.classroom.dispatch import grade_all, processors
from autograder.classroom.errors import NoScheduler, NoWalls, NoWorkers
from autograder.classroom.find import (
    NoSubmissions,
    assignments_in,
    find_submissions,
    in_nbgrader_layout,
    refuse_invalid_ids,
    trusted_folder,
)
from autograder.classroom.run import ClassRun
from autograder.classroom.store import ResultStore
from autograder.classroom.table import write_table
from autograder.cli.exit_status import FAILED, NOT_GRADED, OK, Command, refuse, worst
from autograder.cli.interrupt import remember_ctrl_c
from autograder.cli.options import PATH, in_course
from autograder.cli.penalties import ClassPenalties, enter_again
from autograder.cli.without_walls import NotAllowed, refuse_unless_allowed, unprotected_option
from autograder.engine.assignment import Assignment, find_assignment
from autograder.engine.course import Course, NoCourse, find_course
from autograder.engine.fingerprint import RunSettings
from autograder.engine.graded import Graded
from autograder.engine.process import NAMESPACES, PRACTICE, SandboxError, refuse_elsewhere
from autograder.engine.submission import Submission
from autograder.engine.verdict import Verdict, points_text
from autograder.files import Busy
from autograder.gradebook.late_files import PolicyError
from autograder.gradebook.writer import GradebookWriter
from autograder.people import Person, RosterError, read_roster
from autograder.report import terminal
from autograder.report.class_table import changes_table, class_table, note_lines, repair_lines
from autograder.report.identical import identical_lines

if TYPE_CHECKING:
    from autograder.gradebook.nbgrader_course import NbgraderCourse


WIDTH = 130  # columns of the table of a class, where there is no terminal


@dataclass(frozen=True)
class Options:
    """What was asked for on the command line."""

    place: Path
    assignment: str | None  # None: those of which there are submissions
    results: Path
    jobs: int | None
    scheduler: str | None
    sandbox: str
    unprotected: bool
    course: Path | None
    gradebook: str | None
    no_gradebook: bool
    no_penalties: bool
    regrade: bool
    changes: str
    seed: int | None


@click.command(
    "grade",
    short_help="grade a folder of submissions, or one notebook",
    cls=Command,
    statuses={
        OK: "every submission has a verdict",
        FAILED: "something could not be written",
        NOT_GRADED: "some are not graded: run again",
    },
)
@click.argument("place", type=PATH, metavar="SUBMITTED")
@click.option("--assignment", metavar="ID", help="one only (all of which there are submissions)")
@click.option("--results", type=PATH, default=Path("results"), help="where verdicts go (results/)")
@click.option(
    "--jobs", type=click.IntRange(min=1), metavar="N", help="processes that grade (one a processor)"
)
@click.option("--scheduler", metavar="ADDRESS", help="a Dask cluster's, such as tcp://HOST:8786")
@click.option(
    "--sandbox",
    type=click.Choice(("require", "auto", "off")),
    default="require",
    help="require: no walls, no grades; auto: the best there is; off: none, practice only. Without "
    "walls it asks first",
)
@unprotected_option
@in_course
@click.option("--gradebook", metavar="URL", help="database of the gradebook (the course's)")
@click.option("--no-gradebook", is_flag=True, help="verdicts only")
@click.option(
    "--no-penalties",
    is_flag=True,
    help="list what being late costs, and enter nothing of that: the gradebook's penalties stay",
)
@click.option(
    "--regrade",
    is_flag=True,
    help="also grade submissions that have not changed; show whose points change before writing",
)
@click.option(
    "--changes",
    type=click.Choice(("ask", "write", "show")),
    default="ask",
    help="when a submission gets other points than before: ask (without a terminal: write), write, "
    "or show and write nothing",
)
@click.option("--seed", type=int, help="of the hidden inputs, to repeat a verdict")
def grade(**arguments) -> int:
    """Grade submissions, SUBMITTED/<student>/<assignment>/*.ipynb, or one notebook; of several
    assignments, each by itself.

    Write RESULTS/<assignment>/<student>.json, grades.csv and the gradebook.
    """
    options = Options(**arguments)
    if options.jobs and options.scheduler:
        raise click.UsageError("--scheduler is not allowed with --jobs")
    return grade_submissions(options)


def grade_submissions(options: Options) -> int:
    """Grade what is new or changed; return the exit status."""
    try:
        refuse_elsewhere(options.sandbox)
        course = find_course(options.course)
        classes = [
            (assignment, *refuse_invalid_ids(find_submissions(options.place, assignment)))
            for assignment in _assignments(options, course)
        ]
        level, why = _sandbox_level(options.sandbox, course)
        count = sum(len(notebooks) for _, notebooks, _ in classes)
        if level == PRACTICE and count and not options.unprotected:
            refuse_unless_allowed(count, why, on_workers=options.scheduler is not None)
        statuses = []
        entered: list[ClassPenalties] = []
        for assignment, notebooks, refused in classes:
            settings = RunSettings(assignment, level, options.seed)
            statuses.append(_grade_one(options, settings, why, notebooks, refused, entered))
        terminal.say(*enter_again(entered[:-1]))
        return worst(statuses)
    except (NoSubmissions, NoCourse, NoScheduler, NotAllowed, Busy) as error:
        return refuse(str(error))
    except PolicyError as error:
        first, *more = str(error).split("\n")  # a bad line each
        status = refuse(first)
        terminal.complain(*more)
        return status
    except (NoWalls, NoWorkers, SandboxError) as error:
        return refuse(str(error), NOT_GRADED)


def _assignments(options: Options, course: Course) -> list[Assignment]:
    """The assignments to grade. Raises `UnknownAssignment`, `NoSubmissions`."""
    if options.assignment is None:
        return assignments_in(options.place, course)
    return [find_assignment(options.assignment, course)]


def _grade_one(
    options: Options,
    settings: RunSettings,
    why: str,
    notebooks: dict[str, Path],
    refused: list[str],
    entered: list[ClassPenalties],
) -> int:
    """Grade the submissions of one assignment; return the exit status.

    Its penalties are added to `entered`, if they were.
    """
    store = ResultStore(options.results, settings.assignment.id)
    with store.exclusively():
        count = len(notebooks)
        terminal.say(f"{settings.assignment.id}: {count} submission{'s' if count != 1 else ''}.")
        writer = _open_gradebook(options, settings, notebooks)
        run = ClassRun(settings, options.results, store, writer)
        return _ConsoleRun(run, options, why, entered).execute(notebooks, refused)


def _sandbox_level(wanted: str, course: Course) -> tuple[str, str]:
    """The walls of this run, and why there are no better ones. Raises `SandboxError`."""
    if wanted == "auto":
        from autograder.engine.grade import best_walls  # imports torch

        return best_walls(course)
    return (PRACTICE if wanted == "off" else NAMESPACES), ""


def _open_gradebook(
    options: Options, settings: RunSettings, notebooks: dict[str, Path]
) -> GradebookWriter:
    """What enters verdicts into the gradebook, if there is one. Raises `NoCourse`, `PolicyError`."""
    assignment = settings.assignment
    people, notes = _people(options.place, assignment)
    course = _gradebook_course(options, settings)
    folders = {student: notebook.parent for student, notebook in notebooks.items()}
    top = trusted_folder(options.place, assignment)
    writer = GradebookWriter(course, assignment, top, folders, people)
    writer.notes += notes
    return writer


def _gradebook_course(options: Options, settings: RunSettings) -> NbgraderCourse | None:
    """The course whose gradebook the verdicts enter. Raises `NoCourse`.

    None for practice, and for a notebook from anywhere: nobody knows whose it is.
    """
    from_anywhere = not in_nbgrader_layout(options.place, settings.assignment)
    if options.no_gradebook or settings.sandbox == PRACTICE or from_anywhere:
        return None
    from autograder.gradebook.nbgrader_course import NbgraderCourse  # takes seconds to import
    from autograder.gradebook.url import NoGradebook, check_gradebook

    course = NbgraderCourse(settings.assignment.course, options.gradebook)
    try:
        check_gradebook(course.db_url)
    except NoGradebook as error:
        raise NoCourse(str(error)) from error
    return course


def _people(place: Path, assignment: Assignment) -> tuple[dict[str, Person], list[str]]:
    """Who is who on the platform, as `collect` kept it; without names a run goes on."""
    try:
        return read_roster(place, assignment.id), []
    except RosterError as error:
        return {}, [f"No names are entered: {error}"]


class _ConsoleRun:
    """A class run, and what it shows to the person who started it."""

    def __init__(self, run: ClassRun, options: Options, why: str, entered: list[ClassPenalties]):
        self.run = run
        self.entered = entered  # of this and other assignments
        self.options = options
        self.why = why  # there are no walls
        self.console = terminal.console(WIDTH)

    def execute(self, notebooks: dict[str, Path], refused: list[str]) -> int:
        """Grade, ask, write, and show; return the exit status."""
        run = self.run
        top = trusted_folder(self.options.place, run.settings.assignment)
        try:
            self._grade(run.settle_known(notebooks, self.options.regrade, top))
            declined = not self._write_changes()
        finally:  # also after Ctrl-C: what is finished is entered
            troubles = run.writer.finish()
            table = write_table(self.options.results, run.settings.assignment)
        verdicts = [*run.unchanged, *run.written, *run.failed]
        verdicts.sort(key=lambda verdict: verdict.student)
        late = ClassPenalties(run.writer, self.options.place)
        assignment = run.settings.assignment
        table_of_class = class_table(assignment, verdicts, self.console, late.lateness, late.unsaid)
        self.console.print(table_of_class)
        self._say(f"{one.student}: {one.reason}" for one in verdicts if one.reason)
        self._say(repair_lines(verdicts))
        self._say(note_lines(verdicts))
        self._say(identical_lines(verdicts))
        self._say(refused)
        self._say(late.reasons())
        wanted = self._may_enter_penalties(declined)
        lines, not_entered = late.enter(wanted)
        self._say(lines)
        self.entered += [late] * wanted
        troubles += not_entered
        self._say(troubles)
        self._say(self._summary(table, declined))
        return self._status(verdicts, refused, troubles)

    def _may_enter_penalties(self, declined: bool) -> bool:
        return not (self.options.no_penalties or declined or self.options.changes == "show")

    def _status(self, verdicts: list[Verdict], refused: list[str], troubles: list[str]) -> int:
        missing = refused or any(verdict.state == "not_graded" for verdict in verdicts)
        return worst([NOT_GRADED if missing else OK, FAILED if troubles else OK])

    def _grade(self, submissions: list[Submission]) -> None:
        """Grade, and show how far it is."""
        total = sum(map(len, self.run.to_grade.values()))
        in_terminal = self.console.is_terminal
        columns = [TextColumn("grading"), BarColumn(), MofNCompleteColumn(), _Rate()]
        columns.append(TimeRemainingColumn())
        with (
            remember_ctrl_c() as raise_if_pressed,
            Progress(
                *columns, console=self.console, transient=True, disable=not in_terminal
            ) as bar,
        ):
            task = bar.add_task("grading", total=total)
            for count, verdict in enumerate(self.run.grade(self._results(submissions)), start=1):
                raise_if_pressed()
                bar.advance(task)
                if not in_terminal:
                    points = points_text(verdict.points)
                    self._tell(f"{count}/{total} {verdict.student} {verdict.state} {points}")

    def _results(self, submissions: list[Submission]) -> Iterable[Graded]:
        if not submissions:
            return ()
        options, jobs = self.options, self.options.jobs or processors()
        tell = self._tell
        return grade_all(submissions, self.run.settings, jobs, options.scheduler, tell=tell)

    def _tell(self, sentence: str) -> None:
        self.console.print_paragraphs([sentence])

    def _say(self, sentences: Iterable[str]) -> None:
        """Print a group of sentences, on a terminal with a line free before it."""
        group = list(sentences)
        if group and self.console.is_terminal:
            self.console.print()
        self.console.print_paragraphs(group)

    def _write_changes(self) -> bool:
        """Show what changes for whom, and write it; return False if somebody says no."""
        changes = self.run.changes()
        if changes:
            self.console.print(changes_table(change.row() for change in changes))
        if self.run.proposed and not self._may_write(len(changes)):
            return False
        self.run.write_proposed()
        return True

    def _may_write(self, count: int) -> bool:
        """Whether the proposed verdicts may be written, of which `count` change points."""
        if self.options.changes == "show":
            return False
        if not count or self.options.changes == "write" or not terminal.is_there_to_answer():
            return True
        return terminal.ask(f"Write these {count} changes?")

    def _summary(self, table: Path, declined: bool) -> Iterator[str]:
        run = self.run
        if declined:
            count = len(run.proposed)
            yield f"{count} verdicts that were made again are not written: all is as it was."
        new = [*run.written, *run.failed]
        states = Counter(verdict.state for verdict in new)
        unreadable, missing = states["unreadable"], states["not_graded"]
        words = [f"{states['graded']} graded"]
        words += [f"{unreadable} unreadable"] if unreadable else []
        words += [f"{len(run.unchanged)} as they were"]
        words += [f"{missing} not graded: run again for them"] if missing else []
        yield f"{', '.join(words)}. Verdicts and table: {table.parent}/"
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
