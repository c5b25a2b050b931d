"""Read the verdict files of a class, and write grades.csv from them."""

from collections.abc import Iterator
from pathlib import Path

from autograder.engine.courses.assignment import Assignment
from autograder.engine.files.csv_text import csv_text
from autograder.engine.files.writing import replacing
from autograder.engine.verdicts.history import read_counted, read_counted_verdict
from autograder.engine.verdicts.verdict import Verdict, read_verdict, verdict_files


def write_table(results: Path, assignment: Assignment) -> Path:
    """Write grades.csv from the verdicts of the assignment that count: a row for each student, a
    column for each exercise. Return its path.

    `results`: the folder of all results. Cells are empty where nothing was graded. The state of a
    verdict that was graded without a sandbox is `practice`.
    """
    path = results / assignment.id / "grades.csv"
    names = [exercise.id for exercise in assignment.exercises]
    header = ["student", "state", "points", "max_points", *names]
    rows = [_row(verdict, names) for verdict in _verdicts(results, assignment)]
    with replacing(path) as file:
        file.write(csv_text([header, *rows]))
    return path


def _row(verdict: Verdict, names: list[str]) -> list[str | float | None]:
    """Return the cells of a verdict's row; `names`: the ids of all exercises."""
    points = {exercise.id: exercise.points for exercise in verdict.exercises}
    total = None if verdict.state == "not_graded" else verdict.points
    cells = [verdict.student, verdict.table_state, total, verdict.max_points]
    return [*cells, *map(points.get, names)]


def _verdicts(results: Path, assignment: Assignment) -> Iterator[Verdict]:
    """Yield the verdicts of the assignment that count and can be read, sorted by student."""
    counted = read_counted(results, assignment.id)
    for file in verdict_files(results / assignment.id):
        if verdict := read_verdict(file):
            yield read_counted_verdict(results, verdict, counted)
