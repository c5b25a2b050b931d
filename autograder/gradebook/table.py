"""Read the verdict files of a class, and write grades.csv from them."""

from collections.abc import Iterator
from pathlib import Path

from autograder.engine import Assignment, Verdict, files, verdicts


def write_table(results: Path, assignment: Assignment) -> Path:
    """Write grades.csv with a row for each student and a column for each exercise, and return its
    path.

    `results`: the folder of all results. Only counted verdicts are used. Ungraded cells are empty.
    The state of a verdict without a sandbox is `practice`.
    """
    path = results / assignment.id / "grades.csv"
    names = [exercise.id for exercise in assignment.exercises]
    header = ["student", "state", "points", "max_points", *names]
    rows = [_row(verdict, names) for verdict in _verdicts(results, assignment)]
    with files.replacing(path) as file:
        file.write(files.csv_text([header, *rows]))
    return path


def _row(verdict: Verdict, names: list[str]) -> list[str | float | None]:
    points = {exercise.id: exercise.points for exercise in verdict.exercises}
    total = None if verdict.state == "not_graded" else verdict.points
    cells = [verdict.student, verdict.table_state, total, verdict.max_points]
    return [*cells, *map(points.get, names)]


def _verdicts(results: Path, assignment: Assignment) -> Iterator[Verdict]:
    """Yield the readable counted verdicts of the assignment, sorted by student."""
    counted = verdicts.read_counted(results, assignment.id)
    for file in verdicts.verdict_files(results / assignment.id):
        if verdict := verdicts.read_verdict(file):
            yield verdicts.read_counted_verdict(results, verdict, counted)
