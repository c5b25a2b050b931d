"""The kill matrix: every known mistake and every correct variant, graded as students are.

Each row is a notebook that goes through the walls and the examiner: which checks caught the mistake,
and which of them named it? Then the margins: how far comparisons stay from their limits
(`margins.py`).
"""

import csv
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from rich.progress import track
from rich.table import Table

from autograder.authoring.composed import composed_rows
from autograder.authoring.doubles import find_doubles
from autograder.authoring.margins import measure_margins, print_margins
from autograder.authoring.naming import Naming, naming, naming_table
from autograder.authoring.rows import Row, all_rows
from autograder.authoring.sample_class import SampleSubmission, write_submission
from autograder.classroom.dispatch import grade_all
from autograder.classroom.worker import grade_with_runs
from autograder.engine.assignment import Assignment
from autograder.engine.examiner.checks import CheckRun
from autograder.engine.fingerprint import RunSettings
from autograder.engine.graded import Graded
from autograder.engine.mistake import Mistake
from autograder.engine.submission import read_submission
from autograder.engine.verdict import check_sentence
from autograder.report.terminal import Terminal, say, say_progress

CAUGHT, NAMED = "x", "N"
RECALL = {"in a variant": 0.92, "composed": 0.95}  # in code that is no edit of the solution
Results = list[tuple[Row, Graded]]


def run_matrix(
    assignment: Assignment,
    console: Terminal,
    into: Path,
    jobs: int,
    every_way: bool = False,
    seeds: int = 3,
    exercise: str = "",
    composed: int = 0,
    seed: int = 0,
) -> list[str]:
    """Grade all rows, measure margins with this many seeds, print and write the tables.

    With `exercise`, those of one exercise only; `composed`: so many correct and so many wrong
    submissions composed at random, by `seed`. Return what is not as it has to be, in words. Raises
    `NoWalls`, `NoWorkers`.
    """
    rows = all_rows(assignment, every_way) + composed_rows(assignment, composed, seed)
    rows = rows_of(exercise, rows)
    say_progress(f"{assignment.id}: {len(rows)} submissions are graded.")
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        graded = grade_rows(rows, assignment, Path(folder), jobs)
        results = list(track(graded, "grading", len(rows), console=console, transient=True))
    seconds = time.monotonic() - begin
    results.sort(key=lambda result: rows.index(result[0]))
    print_matrix(console, assignment, results, exercise)
    into.mkdir(parents=True, exist_ok=True)
    write_matrix(into / "matrix.csv", results, exercise)
    wrong = [fault for row, graded in results for fault in faults(row, graded)]
    wrong += idle_checks(results, exercise)
    console.print(f"{CAUGHT} caught, {NAMED} caught and named, · passed\n")
    counted = naming(results)
    console.print(naming_table(counted))
    wrong += too_few_names(counted)
    console.print(f"{_counts(rows)}, in {seconds:.0f} s with {jobs} workers, behind the walls")
    if composed:
        console.print(f"What is composed is composed again by --seed {seed}")
    if seeds:
        failing = {row.id for row, graded in results if row.is_right and faults(row, graded)}
        measured = [row for row in rows_of(exercise, all_rows(assignment)) if row.id not in failing]
        margins = measure_margins(assignment, measured, seeds, jobs, exercise)
        wrong += print_margins(console, margins, into / "margins.csv")
    for double in find_doubles(assignment, jobs, exercise) if every_way else ():
        console.print(f"SAME: {double}")
    for fault in wrong:
        console.print(f"WRONG: {fault}")
    console.print(f"Tables: {into}/")
    return wrong


def too_few_names(counted: list[Naming]) -> list[str]:
    """Say in which kind of submission more mistakes go unnamed than may."""
    return [
        f"{one.kind}: {one.named} of {one.made} mistakes are named, fewer than {RECALL[one.kind]:.0%}"
        for one in counted
        if one.recall < RECALL.get(one.kind, 0.0)
    ]


def rows_of(exercise: str, rows: list[Row]) -> list[Row]:
    """The solution, and the rows that are about this exercise; all where it is ""."""
    return [
        row
        for row in rows
        if not exercise or not row.cells or exercise in (row.exercises or row.cells)
    ]


def grade_rows(
    rows: list[Row], assignment: Assignment, folder: Path, jobs: int
) -> Iterator[tuple[Row, Graded]]:
    """Write every row as a submission, and grade it behind the walls."""
    names = {f"row{number:04}": row for number, row in enumerate(rows)}
    submissions = []
    for name, row in names.items():
        sample = SampleSubmission(assignment.solutions | row.cells, row.id)
        notebook = write_submission(assignment, folder / name / assignment.id, sample)
        submissions.append(read_submission(assignment, name, notebook))
    for graded in grade_all(
        submissions, RunSettings(assignment), jobs, task=grade_with_runs, tell=say
    ):
        yield names[graded.verdict.student], graded


def faults(row: Row, graded: Graded) -> list[str]:
    """Return what is not as it has to be, in words."""
    verdict, runs = graded.verdict, graded.runs
    if verdict.state != "graded":
        return [f"{row.place}: {verdict.state}: {verdict.reason}"]
    failed = [run for run in runs if not run.passed]
    if failed and row.is_right:
        others = f" and {len(failed) - 1} more" if len(failed) > 1 else ""
        check = check_sentence(failed[0].id)
        return [f"{row.place} fails `{check}`{others}: {failed[0].message}"]
    lost = {result.id for result in verdict.exercises if result.points < result.max_points}
    found = [f"points lost in {name}" for name in sorted(lost - row.exercises)]
    found += [f"no points lost in {name}" for name in sorted(row.exercises - lost)]
    alone = row.kind == "mistake"
    for mistake in row.mistakes if row.kind not in RECALL else ():
        wanted = {f"test_{name}" for name in mistake.caught_by}
        if alone:
            passed = sorted(wanted & _passed(runs, mistake.exercise))
            found += [f"{mistake.id} passes {name.removeprefix('test_')}" for name in passed]
        silent = wanted - _naming(runs, mistake)
        if silent and (alone or silent == wanted):
            found.append(
                f"{mistake.id} is not named by {', '.join(map(check_sentence, sorted(silent)))}"
            )
    made = {(mistake.exercise, mistake.id) for mistake in row.mistakes}
    named = {(run.exercise, mistake.id) for run in runs for mistake in run.mistakes}
    found += [f"{id} is named, too" for _, id in sorted(named - made)]
    return [f"{row.place}: {fault}" for fault in found]


def _passed(runs: list[CheckRun], exercise: str) -> set[str]:
    """The checks of an exercise that passed, in all their cases."""
    own = [run for run in runs if run.exercise == exercise]
    return {run.name for run in own if run.passed} - {run.name for run in own if not run.passed}


def _naming(runs: list[CheckRun], mistake: Mistake) -> set[str]:
    """The checks that named it, in one of their cases at least."""
    own = [run for run in runs if run.exercise == mistake.exercise]
    return {run.name for run in own if mistake.id in {one.id for one in run.mistakes}}


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
    """Print a table for each exercise, or for one only: its mistakes, its checks."""
    for exercise in assignment.exercises:
        if only not in ("", exercise.id):
            continue
        checks = [run.id for run in _all_checks(results, exercise.id)]
        table = Table(title=exercise.id, title_justify="left", box=None)
        table.add_column("mistake", no_wrap=True)
        for number in range(len(checks)):
            table.add_column(str(number + 1), justify="center")
        for row, graded in results:
            if row.exercises == {exercise.id}:
                found = marks(row, graded)
                name = " + ".join(mistake.id for mistake in row.mistakes)
                table.add_row(name, *(found.get((exercise.id, check), "·") for check in checks))
        console.print(table)
        for number, check in enumerate(checks, start=1):
            console.print(f"  {number} {check_sentence(check)}")
        console.print()


def write_matrix(path: Path, results: Results, exercise: str = "") -> None:
    """Write a line for each row, a column for each check."""
    columns = [(run.exercise, run.id) for run in _all_checks(results, exercise)]
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["row", *(f"{name}: {check_sentence(check)}" for name, check in columns)])
        for row, graded in results:
            found = marks(row, graded)
            table.writerow([row.id, *(found.get(column, "") for column in columns)])


def idle_checks(results: Results, exercise: str = "") -> list[str]:
    """Return the checks that name no mistake: one of them is superfluous, or lacks its mistake."""
    naming = {
        (run.exercise, run.name)
        for row, graded in results
        for run in graded.runs
        if marks(row, graded).get((run.exercise, run.id)) == NAMED
    }
    checks = dict.fromkeys((run.exercise, run.name) for run in _all_checks(results, exercise))
    return [
        f"{check[0]}: {check_sentence(check[1])} names no mistake"
        for check in checks
        if check not in naming
    ]


def _all_checks(results: Results, exercise: str = "") -> list[CheckRun]:
    """The checks of any row that was graded, which are the same for all: of one exercise, or of all."""
    runs = next((graded.runs for _, graded in results if graded.runs), [])
    return [run for run in runs if exercise in ("", run.exercise)]


def _counts(rows: list[Row]) -> str:
    single = sum(len(row.mistakes) == 1 for row in rows)
    right = sum(row.is_right for row in rows)
    return f"{single} mistakes, {len(rows) - single - right} pairs, {right} correct submissions"
