"""The tables of the kill matrix: a line for each row, a column for each check."""

import csv
from collections.abc import Iterator
from pathlib import Path

from rich.table import Table

from autograder.authoring.rows import Row
from autograder.engine.course.assignment import Assignment
from autograder.engine.examiner.checks import CheckRun
from autograder.engine.graded import Graded
from autograder.engine.verdict.verdict import check_sentence
from autograder.report.terminal import Terminal

CAUGHT, NAMED = "x", "N"
Results = list[tuple[Row, Graded]]


def marks(row: Row, graded: Graded) -> dict[tuple[str, str], str]:
    """By (exercise, check): caught, or caught and named."""
    ids = {mistake.id for mistake in row.mistakes}
    return {
        (run.exercise, run.id): NAMED if ids & {one.id for one in run.mistakes} else CAUGHT
        for run in graded.runs
        if not run.passed
    }


def print_matrix(
    console: Terminal, assignment: Assignment, results: Results, only: str = ""
) -> None:
    """Print for each exercise with results, or for one only, a table of its mistakes and its checks,
    and which variants of it have full marks.
    """
    about = {name for row, _ in results for name in row.cells}
    for exercise in assignment.exercises:
        if exercise.id in about and only in ("", exercise.id):
            checks = [run.id for run in checks_of(results, exercise.id)]
            console.print(_table(exercise.id, checks, results))
            for number, check in enumerate(checks, start=1):
                console.print(f"  {number} {check_sentence(check)}")
            for line in _full_marks(exercise.id, results):
                console.print(line)
            console.print()


def _table(exercise: str, checks: list[str], results: Results) -> Table:
    table = Table(title=exercise, title_justify="left", box=None)
    table.add_column("mistake", no_wrap=True)
    for number in range(len(checks)):
        table.add_column(str(number + 1), justify="center")
    for row, graded in results:
        if row.exercises == {exercise}:
            found = marks(row, graded)
            made = " + ".join(mistake.id for mistake in row.mistakes)
            name = f"composed: {made}" if row.kind == "composed" else _short(row, exercise)
            table.add_row(name, *(found.get((exercise, check), "·") for check in checks))
    return table


def _full_marks(exercise: str, results: Results) -> Iterator[str]:
    """Say which variants, of this exercise alone, fail no check; nothing where there are none."""
    variants = [(row, graded) for row, graded in results if row.kind == "right"]
    own = [(row, graded) for row, graded in variants if row.cells.keys() == {exercise}]
    passing = [_short(row, exercise) for row, graded in own if not marks(row, graded)]
    if own:
        yield f"variants with full marks: {len(passing)} of {len(own)}: {', '.join(passing)}"


def _short(row: Row, exercise: str) -> str:
    """A row's name in the table of this exercise."""
    return row.id.replace(f"{exercise}: ", "")


def write_matrix(path: Path, results: Results, exercise: str = "") -> None:
    """Write a line for each row, a column for each check."""
    columns = [(run.exercise, run.id) for run in checks_of(results, exercise)]
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["row", *(f"{name}: {check_sentence(check)}" for name, check in columns)])
        for row, graded in results:
            found = marks(row, graded)
            table.writerow([row.id, *(found.get(column, "") for column in columns)])


def checks_of(results: Results, exercise: str = "") -> list[CheckRun]:
    """The checks of any row that was graded, which are the same for all: of one exercise, or of all."""
    runs = next((graded.runs for _, graded in results if graded.runs), [])
    return [run for run in runs if exercise in ("", run.exercise)]
