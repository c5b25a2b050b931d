"""`report`: write a page about a class for its instructor."""

from pathlib import Path

import click

from autograder._commands import terminal
from autograder._commands.exit_status import FAILED, NOT_GRADED, OK, Command
from autograder._commands.options import (
    PATH,
    in_course,
    in_course_folder,
    in_results,
    of_gradebook,
    one_in_results,
)
from autograder.classroom.roster import read_people
from autograder.desk.marking.given import read_given
from autograder.desk.report.assignment_report import reports_of
from autograder.desk.report.class_results import ClassResults
from autograder.desk.report.debrief import Debrief, debrief_page, times_of
from autograder.desk.report.gather import gather
from autograder.desk.report.page import report_page
from autograder.desk.report.written_files import refuse_others, write_page, write_tables
from autograder.desk.sources import Sources, find_sources
from autograder.engine import plural
from autograder.gradebook.grades import without_points
from autograder.gradebook.lateness.late_policy import course_zone


@click.command(
    "report",
    cls=Command,
    statuses={
        OK: "written",
        FAILED: "it could not be written",
        NOT_GRADED: "written, without verdicts that are damaged",
    },
)
@in_results
@click.option(
    "--out",
    type=PATH,
    callback=in_course_folder("report.html"),
    metavar="FILE",
    help="the page to write (the course's report.html)",
)
@one_in_results
@click.option(
    "--roster",
    type=PATH,
    metavar="CSV",
    help="who should have handed in, with a column `section` for tutors' groups "
    "(what `collect` was given; without that, those who handed in)",
)
@click.option(
    "--submitted",
    type=PATH,
    metavar="DIR",
    help="the folder that `collect` filled: roster, what is not placed (the course's submitted/)",
)
@click.option("--names", is_flag=True, help="say who (without it, only how many)")
@click.option(
    "--csv", "csv_folder", type=PATH, metavar="FOLDER", help="write the numbers there, too"
)
@click.option(
    "--debrief",
    is_flag=True,
    help="another page, to be shown: mistakes by section, points by marker, attempts over time; no "
    "student is named (--names: markers are)",
)
@in_course
@of_gradebook
@click.option("--no-gradebook", is_flag=True, help="leave out what is late or to be marked by hand")
def report(
    results: Path,
    out: Path,
    assignment: str | None,
    roster: Path | None,
    submitted: Path | None,
    names: bool,
    csv_folder: Path | None,
    debrief: bool,
    course: Path | None,
    gradebook: str | None,
    no_gradebook: bool,
) -> int:
    """Write one page about a class, for its instructor: it opens offline, and prints.

    For each assignment: how it went, which exercise and which check was hard, which mistakes cost
    most, who needs help, what it looked like by section, and what changed since last time. An
    earlier report at FILE is replaced, and nothing else is.
    """
    if debrief and csv_folder:
        raise click.UsageError("--csv is not allowed with --debrief, which has no tables")
    refuse_others(out)
    sources = find_sources(results, assignment, submitted, course, gradebook, not no_gradebook)
    classes = _gathered(sources, roster)
    if debrief:
        write_page(
            out,
            debrief_page([_debrief(class_results, sources, names) for class_results in classes]),
        )
        paths = [out]
    else:
        paths = _write(classes, out, csv_folder, names)
    damaged = [sentence for class_results in classes for sentence in class_results.damaged]
    terminal.say(*sources.without, *damaged, *(f"-> {path}" for path in paths))
    return NOT_GRADED if damaged else OK


def _debrief(of_class: ClassResults, sources: Sources, names: bool) -> Debrief:
    """Return an assignment's part of the debrief. `names`: whether it names the markers."""
    marks = read_given(sources.results, of_class.assignment)
    times = times_of(sources.results, sources.submitted, of_class)
    return Debrief(of_class, marks, times, names, course_zone(sources.course))


def _gathered(sources: Sources, roster: Path | None) -> list[ClassResults]:
    """Return the results of each assignment, and print progress. `roster`: a table of the expected
    students, None for the rosters given to `collect`. Raises the errors of `gather`.
    """
    people = None if roster is None else read_people(roster)
    if people is not None and not any(person.section for person in people):
        sources.without.append(
            f"No section is in `{roster}`: it has no column `section`, or it is empty."
        )
    ids = ", ".join(sources.assignments)
    terminal.say(f"Reading the verdicts in {sources.results}: {ids}.")
    classes = []
    for class_results in gather(sources, people):
        classes.append(class_results)
        terminal.say(_counted(class_results), *without_points(class_results.verdicts))
    return classes


def _write(classes: list[ClassResults], out: Path, folder: Path | None, names: bool) -> list[Path]:
    """Write the page to `out` and its numbers as CSV files into `folder`, if given. Return both
    paths. `names`: whether the page names students.
    """
    reports = reports_of(classes, names)
    page = report_page(reports)
    csv_tables = {}
    if folder:
        csv_tables = {
            f"{assignment_report.id}-{table.name}.csv": table
            for assignment_report in reports
            for table in assignment_report.numbers()
        }
        write_tables(folder, csv_tables)
    write_page(out, page)
    return [out, *([folder] if folder else [])]


def _counted(results: ClassResults) -> str:
    """Return the numbers of verdicts, graded verdicts and practice verdicts of an assignment."""
    verdicts = plural(len(results.verdicts), "verdict")
    practice = f", {len(results.practice)} as practice" if results.practice else ""
    return f"{results.assignment}: {verdicts}, {len(results.graded)} of them graded{practice}."
