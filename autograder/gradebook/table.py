"""Read the verdict files of a class, and write grades.csv from them."""

from collections.abc import Iterator
from pathlib import Path

from autograder.engine import Assignment, Verdict, files, verdicts


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
    with files.replacing(path) as file:
        file.write(files.csv_text([header, *rows]))
    return path


def _row(verdict: Verdict, names: list[str]) -> list[str | float | None]:
    """Return the cells of a verdict's row; `names`: the ids of all exercises."""
    points = {exercise.id: exercise.points for exercise in verdict.exercises}
    total = None if verdict.state == "not_graded" else verdict.points
    cells = [verdict.student, verdict.table_state, total, verdict.max_points]
    return [*cells, *map(points.get, names)]


def _verdicts(results: Path, assignment: Assignment) -> Iterator[Verdict]:
    """Yield the verdicts of the assignment that count and can be read, sorted by student."""
    counted = verdicts.read_counted(results, assignment.id)
    for file in verdicts.verdict_files(results / assignment.id):
        if verdict := verdicts.read_verdict(file):
            yield verdicts.read_counted_verdict(results, verdict, counted)
