"""The kill matrix: every known mistake and every correct variant, graded as students are.

    python -m autograder.authoring.kill_matrix [--jobs 2] [--every-way] [--seeds 5] [--into matrix]

Each row is a notebook that goes through the walls and the examiner: which checks caught it, and which
of them named it? Then the margins: how far comparisons stay from their limits (`margins.py`).
Exit status 1 where a row is not as it has to be, or a margin is too narrow.
"""

import argparse
import csv
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

from rich.console import Console
from rich.progress import track
from rich.table import Table

from autograder.engine.assignment import Assignment, find_assignment
from autograder.classroom.dispatch import grade_all
from autograder.classroom.worker import grade_traced
from autograder.engine.examiner.session import Trace
from autograder.engine.graded import Graded
from autograder.engine.submission import read_submission
from autograder.engine.mistake import Mistake
from autograder.gradebook.check_cell import sentence
from autograder.authoring.sample_class import Handout, write_submission
from autograder.engine.fingerprint import RunSettings
from autograder.authoring.margins import measure_margins, print_margins
from autograder.authoring.rows import Row, all_rows

CAUGHT, NAMED = "x", "N"


def grade_rows(
    rows: list[Row], assignment: Assignment, folder: Path, jobs: int
) -> Iterator[tuple[Row, Graded]]:
    """Hand in every row as a notebook, and grade it behind the walls."""
    names = {f"row{number:04}": row for number, row in enumerate(rows)}
    submissions = []
    for name, row in names.items():
        handout = Handout(assignment.solutions | row.cells, "")
        place = folder / name / assignment.id
        notebook = write_submission(assignment, place, handout)
        submissions.append(read_submission(assignment, name, notebook))
    for graded in grade_all(submissions, RunSettings(assignment), jobs, task=grade_traced):
        yield names[graded.verdict.student], graded


def faults(row: Row, graded: Graded) -> list[str]:
    """What is not as it has to be, in words."""
    verdict, traces = graded.verdict, graded.traces
    if verdict.state != "graded":
        return [f"{verdict.state}: {verdict.reason}"]
    lost = {result.id for result in verdict.exercises if result.points < result.max_points}
    found = [f"points lost in {name}" for name in sorted(lost - row.exercises)]
    found += [f"no points lost in {name}" for name in sorted(row.exercises - lost)]
    for mistake in row.mistakes:
        passed = {
            trace.check for trace in traces if trace.passed and trace.exercise == mistake.exercise
        }
        missed = [name for name in mistake.caught_by if f"test_{name}" in passed]
        found += [f"{mistake.id} passes {name}" for name in missed if len(row.mistakes) == 1]
        silent = {f"test_{name}" for name in mistake.caught_by} - _naming(traces, mistake)
        if len(silent) == len(mistake.caught_by) or (silent and len(row.mistakes) == 1):
            found.append(f"{mistake.id} is not named by {', '.join(map(sentence, sorted(silent)))}")
    wanted = {(mistake.exercise, mistake.id) for mistake in row.mistakes}
    others = {(trace.exercise, id) for trace in traces for id in trace.named} - wanted
    return found + [f"{id} is named, too" for _, id in sorted(others)]


def _naming(traces: list[Trace], mistake: Mistake) -> set[str]:
    """The checks that named it."""
    own = [trace for trace in traces if trace.exercise == mistake.exercise]
    return {trace.check for trace in own if mistake.id in trace.named}


def marks(row: Row, graded: Graded) -> dict[tuple[str, str], str]:
    """By (exercise, check): caught, or caught and named."""
    ids = {mistake.id for mistake in row.mistakes}
    return {
        (trace.exercise, trace.check): NAMED if ids & {*trace.named} else CAUGHT
        for trace in graded.traces
        if not trace.passed
    }


def print_matrix(
    console: Console, assignment: Assignment, results: list[tuple[Row, Graded]]
) -> None:
    """A table an exercise: its mistakes, its checks."""
    for exercise in assignment.exercises:
        checks = _checks(results, exercise.id)
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
            console.print(f"  {number} {sentence(check)}")
        console.print()


def _checks(results: list[tuple[Row, Graded]], exercise: str) -> list[str]:
    return [trace.check for trace in results[0][1].traces if trace.exercise == exercise]


def write_matrix(path: Path, results: list[tuple[Row, Graded]]) -> None:
    """A line a row, a column a check."""
    columns = [(trace.exercise, trace.check) for trace in results[0][1].traces]
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["row", *(f"{name}: {sentence(check)}" for name, check in columns)])
        for row, graded in results:
            found = marks(row, graded)
            table.writerow([row.id, *(found.get(column, "") for column in columns)])


def idle_checks(results: list[tuple[Row, Graded]]) -> list[str]:
    """Checks that name no mistake: they would have to go."""
    naming = {key for row, g in results for key, mark in marks(row, g).items() if mark == NAMED}
    return [
        f"{trace.exercise}: {sentence(trace.check)} names no mistake"
        for trace in results[0][1].traces
        if (trace.exercise, trace.check) not in naming
    ]


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    assignment = find_assignment("encoder-layer")
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 170)
    rows = all_rows(assignment, options.every_way)
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        graded = grade_rows(rows, assignment, Path(folder), options.jobs)
        results = list(track(graded, "grading", len(rows), console=console, transient=True))
    seconds = time.monotonic() - begin
    results.sort(key=lambda result: rows.index(result[0]))
    print_matrix(console, assignment, results)
    options.into.mkdir(parents=True, exist_ok=True)
    write_matrix(options.into / "matrix.csv", results)
    wrong = [f"{row.id}: {fault}" for row, graded in results for fault in faults(row, graded)]
    wrong += idle_checks(results)
    console.print(f"{CAUGHT} caught, {NAMED} caught and named, · passed")
    single = sum(len(row.mistakes) == 1 for row in rows)
    right = sum(not row.mistakes for row in rows)
    counts = f"{single} mistakes, {len(rows) - single - right} pairs, {right} correct submissions"
    console.print(f"{counts}, in {seconds:.0f} s with {options.jobs} workers, behind the walls")
    if options.seeds:
        margins = measure_margins(assignment, options.seeds, options.jobs)
        wrong += print_margins(console, margins, options.into / "margins.csv")
    for fault in wrong:
        console.print(f"NOT AS IT HAS TO BE: {fault}", markup=False)
    console.print(f"Tables: {options.into}/")
    return 1 if wrong else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m autograder.authoring.kill_matrix", description=__doc__)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N")
    parser.add_argument("--every-way", action="store_true", help="each mistake in all its ways")
    parser.add_argument("--seeds", type=int, default=3, help="for the margins; 0 leaves them out")
    parser.add_argument("--into", type=Path, default=Path("matrix"), help="folder of the tables")
    return parser


if __name__ == "__main__":
    sys.exit(main())
