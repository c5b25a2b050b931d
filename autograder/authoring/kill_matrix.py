"""The kill matrix: every known mistake and every correct variant, graded as students are.

Each row is a notebook that goes through the walls and the examiner: which checks caught the mistake,
and which of them named it? Then the margins: how far comparisons stay from their limits
(`margins.py`).
"""

import secrets
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from rich.progress import track

from autograder.authoring.composed import composed_rows
from autograder.authoring.doubles import find_doubles
from autograder.authoring.faults import faults, idle_checks, too_few_names
from autograder.authoring.margins import examine_in_float32, margins_of, print_margins
from autograder.authoring.matrix_options import MatrixOptions
from autograder.authoring.matrix_table import CAUGHT, NAMED, Results, print_matrix, write_matrix
from autograder.authoring.naming import naming, naming_table
from autograder.authoring.rows import Row, all_rows
from autograder.authoring.sample_class import SampleSubmission, write_submission
from autograder.classroom.pool import Call, open_pool, outcomes
from autograder.classroom.run import why_none
from autograder.classroom.worker import Task, grade_with_runs
from autograder.engine.course.assignment import Assignment
from autograder.engine.graded import Graded, ungraded
from autograder.engine.notebook.submission import Submission
from autograder.engine.verdict.fingerprint import RunSettings
from autograder.report.terminal import Terminal, say, say_progress


def run_matrix(
    assignment: Assignment, console: Terminal, into: Path, jobs: int, options: MatrixOptions
) -> list[str]:
    """Grade the rows that are asked for, measure margins, print and write the tables.

    Return what is not as it has to be, in words, after printing it. Raises `GraderError`, `SandboxError`,
    `NoWorkers`.
    """
    rows = asked_rows(assignment, options)
    say_progress(f"{assignment.id}: {len(rows)} submissions are graded.")
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        graded = grade_rows(rows, assignment, Path(folder), jobs)
        results = list(track(graded, "grading", len(rows), console=console, transient=True))
    seconds = time.monotonic() - begin
    results.sort(key=lambda result: rows.index(result[0]))
    wrong = print_names(assignment, console, into, results, options)
    console.print(f"{_counts(rows)}, in {seconds:.0f} s with {jobs} workers, behind the walls")
    if options.composed and not options.mistake:
        console.print(f"What is composed is composed again by --seed {options.seed}")
    wrong += measure_margins(assignment, console, into, jobs, results, options)
    if options.every_way or options.mistake:
        for double in find_doubles(assignment, jobs, options.exercise, options.mistake):
            console.print(f"SAME: {double}")
    console.print(f"{len(wrong) or 'Nothing'} WRONG. Tables: {into}/")
    return wrong


def asked_rows(assignment: Assignment, options: MatrixOptions) -> list[Row]:
    """Return the solution, and the rows that are asked for. Raises `GraderError`."""
    mistake = options.mistake
    rows = all_rows(assignment, options.every_way or bool(mistake))
    if mistake:
        rows = rows[:1] + [row for row in rows if mistake in {one.id for one in row.mistakes}]
    else:
        rows += composed_rows(assignment, options.composed, options.seed)
    return rows_of(options.exercise, rows)


def print_names(
    assignment: Assignment, console: Terminal, into: Path, results: Results, options: MatrixOptions
) -> list[str]:
    """Print and write which checks caught and named which mistake; return what is wrong in it."""
    print_matrix(console, assignment, results, options.exercise)
    into.mkdir(parents=True, exist_ok=True)
    write_matrix(into / "matrix.csv", results, options.exercise)
    console.print(f"{CAUGHT} caught, {NAMED} caught and named, · passed")
    console.print()
    counted = naming(results)
    console.print(naming_table(counted))
    wrong = [fault for row, graded in results for fault in faults(row, graded)]
    if not options.mistake:
        wrong += idle_checks(results, options.exercise) + too_few_names(counted)
    return print_wrong(console, wrong)


def measure_margins(
    assignment: Assignment,
    console: Terminal,
    into: Path,
    jobs: int,
    results: Results,
    options: MatrixOptions,
) -> list[str]:
    """Print and write how far the comparisons of these results stay from their limits; return what
    is too narrow.

    Measured with the mistakes' first ways, and with what is right: that, too, in float32 alone.
    """
    about = {name for row, _ in results for name in row.exercises or row.cells}
    if options.exercise:
        about = {options.exercise}
    firsts = {row.id for row in all_rows(assignment) if len(row.mistakes) < 2}
    examined = [
        (row, graded.runs)
        for row, graded in results
        if row.id in firsts and not (row.is_right and faults(row, graded))
    ]
    right = [row for row, _ in examined if row.is_right]
    if options.seeds:
        say_progress(
            f"{assignment.id}: {len(right)} correct submissions are examined in float32, with "
            f"{options.seeds} seeds each."
        )
        again = examine_in_float32(assignment, right, options.seeds, jobs, about)
        total = len(right) * options.seeds
        examined += track(again, "examining", total, console=console, transient=True)
    margins = margins_of(examined, about)
    return print_wrong(console, print_margins(console, margins, into / "margins.csv"))


def print_wrong(console: Terminal, wrong: list[str]) -> list[str]:
    """Print a line for each; return them."""
    for fault in wrong:
        console.print(f"WRONG: {fault}")
    return wrong


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
    settings = RunSettings(assignment, seed=secrets.randbits(31))
    calls = []
    for name, row in names.items():
        sample = SampleSubmission(assignment.solutions | row.cells, row.id)
        notebook = write_submission(assignment, folder / name / assignment.id, sample)
        task = Task(name, notebook.name, notebook.read_bytes())
        calls.append(Call(name, grade_with_runs, (settings, task)))
    with open_pool(settings, min(jobs, len(calls)), tell=say) as pool:
        for call, outcome in outcomes(pool, iter(calls)):
            if not isinstance(outcome, Graded):
                submission = Submission([], call.student)
                outcome = ungraded(settings, submission, why_none(outcome))
            yield names[call.student], outcome


def _counts(rows: list[Row]) -> str:
    single = sum(len(row.mistakes) == 1 for row in rows)
    right = sum(row.is_right for row in rows)
    return f"{single} mistakes, {len(rows) - single - right} pairs, {right} correct submissions"
