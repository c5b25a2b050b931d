"""One grading run as a person starts it: progress, verdicts, gradebook, the table at the end."""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from nbgrader.converters.base import NbGraderException
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from sqlalchemy.exc import SQLAlchemyError

from autograder.assignment import ROOT, Assignment
from autograder.classroom import (
    Entry,
    NoSubmissions,
    find_submissions,
    grade_all,
    in_layout,
    kept_verdicts,
    placed,
    unchanged,
    verdict_path,
    write_table,
)
from autograder.grade import Graded, Grader
from autograder.gradebook import Course
from autograder.gradebook_url import NoGradebook, check_gradebook
from autograder.report.check_cell import STATES, number
from autograder.resubmission import compared
from autograder.sandbox import PRACTICE, SandboxError, choose_walls
from autograder.status import FAILED, NOT_GRADED, OK, refuse
from autograder.verdict import Verdict, read_verdict, write_verdict

PLAIN_WIDTH = 110  # columns, where nobody says how wide the terminal is


class NoCourse(Exception):
    """The folder that was named is no course; the message says so."""


def run_grading(assignment: Assignment, options: argparse.Namespace) -> int:
    """Grade what is new or changed; return the exit status of contract 4."""
    try:
        entries, refused = placed(find_submissions(options.place, assignment))
        options.results.mkdir(parents=True, exist_ok=True)
        grader = Grader(assignment, choose_walls(options.sandbox), seed=options.seed)
        course = _course(options, grader)
    except (NoSubmissions, NoCourse, NoGradebook) as error:
        return refuse(str(error))
    except SandboxError as error:
        return refuse(str(error), NOT_GRADED)

    console = Console(highlight=False, width=None if sys.stdout.isatty() else PLAIN_WIDTH)
    kept = [] if options.regrade else _kept(entries, grader, options.results, course)
    done = {verdict.student for verdict in kept}
    todo = [entry for entry in entries if entry.student not in done]
    graded = list(_graded(console, todo, grader, options))
    failures = _enter(course, assignment, graded)
    table = options.results / assignment.id / "grades.csv"
    write_table(table, kept_verdicts(options.results, assignment), assignment)

    verdicts = sorted(
        [*kept, *(one.verdict for one in graded)], key=lambda verdict: verdict.student
    )
    console.print(_table(assignment, verdicts))
    reasons = [f"{verdict.student}: {verdict.reason}" for verdict in verdicts if verdict.reason]
    for sentence in (*reasons, *refused, *failures, _summary(kept, graded, grader, table)):
        console.print(sentence, markup=False)
    if refused or any(verdict.state == "not_graded" for verdict in verdicts):
        return NOT_GRADED
    return FAILED if failures else OK


def _course(options: argparse.Namespace, grader: Grader) -> Course | None:
    """This folder's course if it is one, else the project's own.

    None for practice, and for a notebook from anywhere: nobody knows whose it is.
    """
    nobodys = not in_layout(options.place, grader.assignment)
    if options.no_gradebook or grader.walls.level == PRACTICE or nobodys:
        return None
    if options.course and not (options.course / "nbgrader_config.py").is_file():
        raise NoCourse(f"`{options.course}` is no nbgrader course: it has no nbgrader_config.py.")
    here = Path.cwd()
    found = here if (here / "nbgrader_config.py").is_file() else ROOT
    course = Course((options.course or found).absolute(), options.gradebook)
    check_gradebook(course.db_url)
    return course


def _kept(
    entries: list[Entry], grader: Grader, results: Path, course: Course | None
) -> list[Verdict]:
    """The verdicts that would be the same again, and that the gradebook holds if it should."""
    verdicts = (unchanged(entry, grader, results) for entry in entries)
    return [verdict for verdict in verdicts if verdict and (not course or course.holds(verdict))]


def _graded(
    console: Console, todo: list[Entry], grader: Grader, options: argparse.Namespace
) -> Iterator[Graded]:
    """Grade, keep each verdict as soon as it is there, and show how far it is."""
    columns = (
        TextColumn("grading"),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(),
        TimeRemainingColumn(),
    )
    lively = console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=not lively) as progress:
        task = progress.add_task("grading", total=len(todo))
        for count, graded in enumerate(grade_all(todo, grader, options.jobs), start=1):
            path = verdict_path(options.results, grader.assignment, graded.verdict.student)
            verdict = compared(graded.verdict, read_verdict(path))
            write_verdict(path, verdict)
            progress.advance(task)
            if not lively:
                print(
                    f"{count}/{len(todo)} {verdict.student} {verdict.state} {number(verdict.points)}",
                    flush=True,
                )
            yield replace(graded, verdict=verdict)


class _Rate(TextColumn):
    """Submissions a minute."""

    def __init__(self) -> None:
        super().__init__("")

    def render(self, task):
        return f"{(task.speed or 0) * 60:.0f} a minute"


def _enter(course: Course | None, assignment: Assignment, graded: list[Graded]) -> list[str]:
    if course is None:
        return []
    try:
        return course.enter(assignment, graded)
    except (NbGraderException, SQLAlchemyError) as error:
        reason = str(error).splitlines()[0]
        return [
            f"The gradebook took nothing ({reason}). The verdicts are kept; grade again for it."
        ]


def _table(assignment: Assignment, verdicts: list[Verdict]) -> Table:
    """Student, points by exercise, total, state; in words what is not plainly answered."""
    table = Table(title=assignment.id, title_justify="left", box=SIMPLE_HEAD)
    table.add_column("student", no_wrap=True)
    for exercise in assignment.exercises:
        heading = f"{exercise.id.replace('_', ' ')} /{number(exercise.points)}"
        table.add_column(heading, justify="right", max_width=9)
    whole = sum(exercise.points for exercise in assignment.exercises)
    table.add_column(f"points /{number(whole)}", justify="right", min_width=6)
    table.add_column("state")
    for verdict in verdicts:
        points = [_cell(exercise.points, exercise.state) for exercise in verdict.exercises]
        points += ["·"] * (len(assignment.exercises) - len(points))
        total = number(verdict.points) if verdict.state == "graded" else "·"
        table.add_row(verdict.student, *points, total, _state(verdict))
    return table


def _cell(points: float, state: str) -> str:
    return number(points) if state == "answered" or points else "–"  # asked and not answered


def _state(verdict: Verdict) -> str:
    if verdict.state != "graded":
        return verdict.state.replace("_", " ")
    states = {STATES[exercise.state] for exercise in verdict.exercises} - {""}
    return ", ".join(sorted(states)) or "answered"


def _summary(kept: list[Verdict], graded: list[Graded], grader: Grader, table: Path) -> str:
    words = [f"{len(graded)} graded, {len(kept)} as they were. Verdicts and table: {table.parent}/"]
    if grader.walls.level == PRACTICE:
        why = f" ({grader.walls.why})" if grader.walls.why else ""
        words.append(f"No walls{why}: these verdicts are practice, and no gradebook takes them.")
    return "\n".join(words)
