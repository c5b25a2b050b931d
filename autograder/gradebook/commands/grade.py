"""`grade`: grade a folder of submissions, or one notebook."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder._commands import terminal
from autograder._commands.exit_status import FAILED, NOT_GRADED, OK, Command, worst
from autograder._commands.options import (
    in_course,
    in_submitted,
    of_gradebook,
    of_results,
    one_submitted,
)
from autograder.classroom.find import (
    NoSubmissions,
    assignments_in,
    find_submissions,
    in_nbgrader_layout,
    refuse_invalid_ids,
    refuse_other_folders,
    trusted_folder,
)
from autograder.classroom.records.received import was_collected
from autograder.classroom.run import ClassRun
from autograder.engine import (
    Assignment,
    Course,
    ResultsFolder,
    RunSettings,
    courses,
    find_assignment,
    find_course,
    grading,
    limits,
    plural,
)
from autograder.gradebook.commands.console_run import ConsoleRun, Options
from autograder.gradebook.commands.watch import ConsoleWatch, check_feedback, giving_back
from autograder.gradebook.commands.without_walls import sandbox_level, sandbox_options

if TYPE_CHECKING:
    from autograder.gradebook.sync.choices import GradedClass


@click.command(
    "grade",
    cls=Command,
    statuses={
        OK: "every submission has a verdict",
        FAILED: "something could not be written",
        NOT_GRADED: "some are not graded: run again",
    },
)
@in_submitted
@one_submitted
@of_results
@click.option(
    "--jobs", type=click.IntRange(min=1), metavar="N", help="processes that grade (one a processor)"
)
@click.option("--scheduler", metavar="ADDRESS", help="a Dask cluster's, such as tcp://HOST:8786")
@sandbox_options
@in_course
@of_gradebook
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
@click.option(
    "--watch",
    is_flag=True,
    help="go on grading what arrives in SUBMITTED, in its order, until Ctrl-C or SIGTERM: what is being "
    "graded is finished, the next start goes on; verdicts that are there stay",
)
@giving_back
def grade(**arguments) -> int:
    """Grade submissions, SUBMITTED/<student>/<assignment>/*.ipynb, or one notebook; of several
    assignments, each by itself.

    Write RESULTS/<assignment>/<student>.json, grades.csv and the gradebook.
    """
    options = Options(**arguments)
    if options.jobs and options.scheduler:
        raise click.UsageError("--scheduler is not allowed with --jobs")
    check_feedback(options)
    if options.watch:
        for name, is_given in (
            ("--regrade", options.regrade),
            ("--changes", options.changes != "ask"),
            ("--seed", options.seed is not None),
        ):
            if is_given:
                raise click.UsageError(
                    f"{name} is not allowed with --watch, which changes no verdict that is there"
                )
    limits.refuse_elsewhere(options.sandbox)
    course = find_course(options.course)
    return _watch(options, course) if options.watch else _grade(options, course)


def _grade(options: Options, course: Course) -> int:
    classes = [
        (assignment, *_submissions(options.place, assignment))
        for assignment in _assignments(options, course)
    ]
    level, reason = sandbox_level(
        options, course, sum(len(notebooks) for _, notebooks, _ in classes)
    )
    statuses = []
    for assignment, notebooks, refused in classes:
        with _open_run(options, assignment, level, notebooks) as (run, gradebook):
            terminal.say(f"{assignment.id}: {plural(len(notebooks), 'submission')}.")
            console = ConsoleRun(run, gradebook, options, reason)
            statuses.append(console.execute(notebooks, refused))
    return worst(statuses)


def _submissions(place: Path, assignment: Assignment) -> tuple[dict[str, Path], list[str]]:
    """Return the submissions of an assignment, {} if all collected ones were withdrawn."""
    try:
        return refuse_invalid_ids(find_submissions(place, assignment))
    except NoSubmissions:
        if place.is_dir() and was_collected(place, assignment.id):
            return {}, []
        raise


def _watch(options: Options, course: Course) -> int:
    """Grade submissions of an assignment as they arrive, until the user stops the run."""
    if options.place.is_file():
        raise NoSubmissions(
            f"--watch takes a folder of submissions, and `{options.place}` is a file."
        )
    refuse_other_folders(options.place)
    assignment, *further_assignments = _assignments(options, course)
    if further_assignments:
        raise courses.cannot_tell(
            "--watch is for one assignment", [candidate.id for candidate in courses.every(course)]
        )
    level, reason = sandbox_level(options, course, None)
    with _open_run(options, assignment, level, {}) as (run, gradebook):
        return ConsoleWatch(run, gradebook, options, reason).execute({}, [])


@contextmanager
def _open_run(
    options: Options, assignment: Assignment, level: str, notebooks: dict[str, Path]
) -> Iterator[tuple[ClassRun, GradedClass | None]]:
    """Lock the results, and yield a class run and its class in the gradebook, if any."""
    settings = RunSettings(assignment, level, options.seed)
    results = ResultsFolder(options.results, assignment)
    with results.exclusively():
        if results.is_of_earlier_version:
            terminal.say(
                f"What an earlier version kept in `{options.results}` is not read: all is graded "
                f"again, and its `{grading.EARLIER}` may be deleted."
            )
        gradebook = _gradebook(options, settings, results, notebooks)
        top = trusted_folder(options.place, assignment)
        yield ClassRun(settings, results, top, options.regrade, options.watch), gradebook


def _assignments(options: Options, course: Course) -> list[Assignment]:
    """Return the assignments to grade, all with `--watch`, as submissions may still arrive."""
    if options.assignment is not None:
        return [find_assignment(options.assignment, course)]
    return courses.every(course) if options.watch else assignments_in(options.place, course)


def _gradebook(
    options: Options, settings: RunSettings, results: ResultsFolder, notebooks: dict[str, Path]
) -> GradedClass | None:
    """Return the class to enter, None for practice, `--no-gradebook` and loose notebooks."""
    from_anywhere = not in_nbgrader_layout(options.place, settings.assignment)
    if options.no_gradebook or settings.sandbox == limits.PRACTICE or from_anywhere:
        return None
    from autograder.gradebook.commands.enter import class_to_enter, open_course  # imports nbgrader

    course = open_course(settings.assignment.course, options.gradebook)
    return class_to_enter(course, results, options.place, notebooks)
