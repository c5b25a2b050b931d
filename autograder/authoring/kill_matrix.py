"""The kill matrix: grade all known mistakes and correct variants like students' submissions.

It shows which checks caught and named which mistake. Part of a matrix:

    attention             1  2  3  cost
    no_scaling            ·  N  ·   50%  check 2 failed, and named the mistake
    softmax_over_queries  x  N  ·   75%  check 1 also failed, but only check 2 named the mistake

Then the margins are measured: how far comparisons stay from their tolerance (`margins.py`).
"""

import csv
import secrets
import time
from collections.abc import Iterator
from pathlib import Path

from rich.progress import track
from rich.table import Table

from autograder._commands.terminal import Terminal, say, say_progress
from autograder.authoring.faults import (
    CAUGHT,
    NAMED,
    Results,
    checks_of,
    faults,
    marks,
    naming,
    naming_table,
    too_few_names,
)
from autograder.authoring.margins import failing, margins_of, print_margins
from autograder.authoring.row import MatrixRow
from autograder.authoring.rows import MatrixOptions, all_rows, asked_rows
from autograder.authoring.sample_class import SampleSubmission, notebook_text
from autograder.authoring.without_walls import examine_in_float32
from autograder.classroom.pool import WorkItem, open_pool, outcomes
from autograder.classroom.worker import Failed, Task, grade_with_runs
from autograder.engine import Assignment, Graded, RunSettings, Submission, grading, verdicts


def run_matrix(
    assignment: Assignment, console: Terminal, into: Path, jobs: int, options: MatrixOptions
) -> list[str]:
    """Grade the rows that `options` ask for and measure margins. Print and write the tables.

    `into`: the folder of the tables as CSV. `jobs`: the number of workers. Prints and returns a
    sentence for each wrong verdict or margin. Raises `GraderError` if the assignment's files cannot
    be read, `SandboxError` without a sandbox, `NoWorkers` if no worker can be started.
    """
    rows = asked_rows(assignment, options)
    say_progress(f"{assignment.id}: {len(rows)} submissions are graded.")
    begin = time.monotonic()
    graded = grade_rows(rows, assignment, jobs)
    results = list(track(graded, "grading", len(rows), console=console, transient=True))
    seconds = time.monotonic() - begin
    results.sort(key=lambda result: rows.index(result[0]))
    into.mkdir(parents=True, exist_ok=True)
    complaints = print_names(assignment, console, into, results, options)
    console.print(f"{_counts(rows)}, in {seconds:.0f} s with {jobs} workers, behind the walls")
    if options.composed and not options.mistake:
        console.print(f"What is composed is composed again by --seed {options.seed}")
    complaints += measure_margins(assignment, console, into, jobs, results, options)
    console.print(f"{len(complaints) or 'Nothing'} WRONG. Tables: {into}/")
    return complaints


def grade_rows(
    rows: list[MatrixRow], assignment: Assignment, jobs: int
) -> Iterator[tuple[MatrixRow, Graded]]:
    """Grade each row as a student's submission, in the sandbox, with at most `jobs` workers.

    Yield each row with its result, in the order of completion. If a worker fails, its row has a
    `not_graded` result.
    """
    settings = RunSettings(assignment, seed=secrets.randbits(31))
    by_name = {f"row{number:04}": row for number, row in enumerate(rows)}
    items = []
    for name, row in by_name.items():
        sample = SampleSubmission(assignment.solutions | row.cells, row.id)
        notebook = notebook_text(assignment, sample).encode()
        task = Task(name, f"{assignment.id}.ipynb", notebook)
        items.append(WorkItem(name, grade_with_runs, (settings, task)))
    with open_pool(settings, min(jobs, len(items)), tell=say) as pool:
        for item, outcome in outcomes(pool, iter(items)):
            if isinstance(outcome, Failed):
                submission = Submission([], item.student)
                outcome = grading.ungraded(settings, submission, outcome.why)
            if isinstance(outcome, Graded):  # a task without a stamp is never unchanged
                yield by_name[item.student], outcome


def print_names(
    assignment: Assignment, console: Terminal, into: Path, results: Results, options: MatrixOptions
) -> list[str]:
    """Print which checks caught and named which mistake, and write it to `into`/matrix.csv.

    Print and return a sentence for each row that differs from its expected verdict. Unless
    `options` name a mistake, kinds of submissions with too few named mistakes are also reported.
    """
    exercises = {name for row, _ in results for name in row.cells}
    for exercise in assignment.exercises:
        if exercise.id in exercises and options.exercise in ("", exercise.id):
            _print_exercise(console, exercise.id, results)
    _write_matrix(into / "matrix.csv", results, options.exercise)
    console.print(f"{CAUGHT} caught, {NAMED} caught and named, · passed")
    console.print()
    counts = naming(results)
    console.print(naming_table(counts))
    complaints = [fault for row, graded in results for fault in faults(row, graded)]
    if not options.mistake:
        complaints += too_few_names(counts)
    return _print_wrong(console, complaints)


def _print_exercise(console: Terminal, exercise: str, results: Results) -> None:
    """Print the part of the matrix for an exercise, and the variants with full marks.

    A line is a row that must lose points in this exercise alone. A column is a check, and the last
    column is the share of points that the row lost.
    """
    checks = [run.id for run in checks_of(results, exercise)]
    table = Table(title=exercise, title_justify="left", box=None)
    table.add_column("mistake", no_wrap=True)
    for number, _ in enumerate(checks, start=1):
        table.add_column(str(number), justify="center")
    table.add_column("cost", justify="right")
    variants, passing = 0, []
    for row, graded in results:
        row_marks, name = marks(row, graded), row.id.replace(f"{exercise}: ", "")
        if row.exercises == {exercise}:
            if row.kind == "composed":
                name = "composed: " + " + ".join(mistake.id for mistake in row.mistakes)
            cells = [row_marks.get((exercise, check), "·") for check in checks]
            table.add_row(name, *cells, _cost(graded, exercise))
        elif row.kind == "right" and row.cells.keys() == {exercise}:
            variants += 1
            passing += [] if row_marks else [name]
    console.print(table)
    for number, check in enumerate(checks, start=1):
        console.print(f"  {number} {verdicts.check_sentence(check)}")
    if variants:
        names = ", ".join(passing)
        console.print(f"variants with full marks: {len(passing)} of {variants}: {names}")
    console.print()


def _cost(graded: Graded, exercise: str) -> str:
    """Return the share of the exercise's points that a submission lost, or "" if it was not graded."""
    results = [result for result in graded.verdict.exercises if result.id == exercise]
    return "".join(f"{1 - result.points / result.max_points:.0%}" for result in results)


def _write_matrix(path: Path, results: Results, exercise: str) -> None:
    columns = [(run.exercise, run.id) for run in checks_of(results, exercise)]
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(
            ["row", *(f"{name}: {verdicts.check_sentence(check)}" for name, check in columns)]
        )
        for row, graded in results:
            row_marks = marks(row, graded)
            table.writerow([row.id, *(row_marks.get(column, "") for column in columns)])


def measure_margins(
    assignment: Assignment,
    console: Terminal,
    into: Path,
    jobs: int,
    results: Results,
    options: MatrixOptions,
) -> list[str]:
    """Print the margins of these results and write them to `into`/margins.csv.

    Correct submissions with full marks are measured, and the first way of each single mistake. The
    correct submissions are also examined in float32, with `options.seeds` seeds, by `jobs`
    processes. Print and return a sentence for each margin that is too narrow, and for each correct
    submission that fails a check.
    """
    exercises = {name for row, _ in results for name in row.exercises or row.cells}
    if options.exercise:
        exercises = {options.exercise}
    first_ways = {row.id for row in all_rows(assignment) if len(row.mistakes) < 2}
    examined = [
        (row, graded.runs)
        for row, graded in results
        if row.id in first_ways and not (row.is_right and faults(row, graded))
    ]
    correct_rows = [row for row, _ in examined if row.is_right]
    if options.seeds:
        say_progress(
            f"{assignment.id}: {len(correct_rows)} correct submissions are examined in float32, with "
            f"{options.seeds} seeds each."
        )
        float32_runs = examine_in_float32(assignment, correct_rows, options.seeds, jobs, exercises)
        total = len(correct_rows) * options.seeds
        examined += track(float32_runs, "examining", total, console=console, transient=True)
    complaints = print_margins(console, margins_of(examined, exercises), into / "margins.csv")
    return _print_wrong(console, complaints + failing(examined))


def _print_wrong(console: Terminal, complaints: list[str]) -> list[str]:
    for complaint in complaints:
        console.print(f"WRONG: {complaint}")
    return complaints


def _counts(rows: list[MatrixRow]) -> str:
    """Return in words the numbers of rows with one mistake, other wrong rows, and correct rows."""
    single = sum(len(row.mistakes) == 1 for row in rows)
    correct = sum(row.is_right for row in rows)
    return f"{single} mistakes, {len(rows) - single - correct} pairs, {correct} correct submissions"
