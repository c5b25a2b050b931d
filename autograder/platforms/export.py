"""One export as a person starts it: read what is known, write the files, say what they are."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.platforms import canvas, gradescope, moodle
from autograder.files import write_zip
from autograder.platforms.errors import ExportError
from autograder.platforms.feedback import made_by_nbgrader
from autograder.platforms.grades import Grade, Results, grades_of, read_results
from autograder.gradebook.marks import Mark, find_gradebook, read_marks
from autograder.platforms.places import places
from autograder.platforms.sheet import Filled, write_sheet
from autograder.platforms.summary import about_grades, about_sheet, listed
from autograder.platforms.spreadsheet import CHECKS, STUDENTS, check_rows, student_rows, write_table
from autograder.engine.course import NoCourse, course_folder
from autograder.people import Person, RosterError, read_roster, roster_path
from autograder.cli.exit_status import NOT_GRADED, OK, refuse

TAKES_A_SHEET = "canvas", "moodle"


@dataclass(frozen=True)
class Order:
    """What is to be written: which grades, as what, where."""

    options: argparse.Namespace
    results: Results
    grades: list[Grade]
    paths: list[Path]


def run_export(options: argparse.Namespace) -> int:
    """Write the files of one format; return the exit status."""
    try:
        _check(options)
        results = read_results(options.results, options.assignment)
        paths = places(options.format, options.out, results.folder, options.sheet)
        marks, why = _marks(options, results.assignment)
        people = _people(options.submitted, results.assignment)
        grades = grades_of(results, people, marks, options.submitted)
        said = WRITERS[options.format](Order(options, results, grades, paths))
    except ExportError as error:
        return refuse(str(error), error.status)
    except NoCourse as error:
        return refuse(str(error))
    lines = [*about_grades(grades, why), *said, *results.damaged]
    given = sum(grade.total is not None for grade in grades)
    print(f"{results.assignment}: {given} grades from {len(grades)} verdicts.")
    print(*lines, *(f"-> {path}" for path in paths), sep="\n")
    return NOT_GRADED if results.damaged else OK


def _check(options: argparse.Namespace) -> None:
    if options.sheet and options.format not in TAKES_A_SHEET:
        raise ExportError(
            f"--sheet is for {' and '.join(TAKES_A_SHEET)}, not for {options.format}."
        )
    if options.column is not None and options.format != "canvas":
        raise ExportError("--column is for canvas: the others have one column of grades.")


def _marks(options: argparse.Namespace, assignment: str) -> tuple[dict[str, Mark], str]:
    """What the gradebook holds, and why there is nothing if there is none."""
    if options.no_gradebook:
        return {}, "the gradebook was left out"
    url = find_gradebook(course_folder(options.course), options.gradebook)
    if url is None:
        return {}, "there is no gradebook yet"
    marks = read_marks(url, assignment)
    return marks, "" if marks else "the gradebook does not hold this assignment"


def _people(submitted: Path, assignment: str) -> dict[str, Person]:
    try:
        return read_roster(roster_path(submitted, assignment))
    except RosterError as error:
        raise ExportError(str(error)) from error


def _csv(order: Order) -> list[str]:
    students, checks = order.paths
    write_table(students, STUDENTS, student_rows(order.grades))
    write_table(checks, CHECKS, check_rows(order.grades))
    return []


def _canvas(order: Order) -> list[str]:
    sheet, column, name = order.options.sheet, order.options.column, order.results.assignment
    filled = (
        canvas.fill(sheet, order.grades, name, column)
        if sheet
        else canvas.new(order.grades, name, column)
    )
    write_sheet(order.paths[0], filled.sheet)
    return _about(filled)


def _moodle(order: Order) -> list[str]:
    sheet, course = order.options.sheet, course_folder(order.options.course)
    filled = moodle.fill(sheet, order.grades) if sheet else moodle.new(order.grades)
    table, pages = order.paths
    write_sheet(table, filled.sheet)
    write_zip(pages, moodle.feedback_files(filled, course))
    return [*_about(filled), *_stale(order.results, filled, course)]


def _gradescope(order: Order) -> list[str]:
    write_zip(order.paths[0], gradescope.files(order.grades))
    return []


def _about(filled: Filled) -> list[str]:
    return [f"{filled.given} of them in the sheet.", *about_sheet(filled)]


def _stale(results: Results, filled: Filled, course: Path) -> list[str]:
    """nbgrader's pages that are older than the verdict they should tell of."""
    old: Sequence[str] = [
        grade.student
        for grade in filled.matches.rows.values()
        if (page := made_by_nbgrader(course, grade))
        and page.stat().st_mtime < (results.folder / f"{grade.student}.json").stat().st_mtime
    ]
    if not old:
        return []
    return [
        f"The feedback pages of {listed(old)} are older than the verdicts: make them again, and export."
    ]


WRITERS = {"csv": _csv, "canvas": _canvas, "moodle": _moodle, "gradescope": _gradescope}
