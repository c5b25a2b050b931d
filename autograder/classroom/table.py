"""The verdicts of a class as files: one for each student, and the table grades.csv."""

import csv
from pathlib import Path

from autograder.engine.assignment import Assignment
from autograder.engine.verdict import Verdict, read_verdict
from autograder.files import replacing
from autograder.text import safe_cell


def verdict_path(results: Path, assignment: Assignment, student: str) -> Path:
    """Return where the verdict of one student is."""
    return results / assignment.id / f"{student}.json"


def write_table(results: Path, assignment: Assignment) -> Path:
    """Write grades.csv from the verdicts: a row a student, a column an exercise, empty where nothing
    was graded. Return its path.
    """
    path = results / assignment.id / "grades.csv"
    names = [exercise.id for exercise in assignment.exercises]
    with replacing(path) as file:
        table = csv.writer(file)
        table.writerow(["student", "state", "points", "max_points", *names])
        for verdict in read_verdicts(results, assignment):
            points = {exercise.id: exercise.points for exercise in verdict.exercises}
            total = "" if verdict.state == "not_graded" else verdict.points
            row = [verdict.student, verdict.state, total, verdict.max_points]
            row += [points.get(name, "") for name in names]
            table.writerow(map(safe_cell, row))
    return path


def read_verdicts(results: Path, assignment: Assignment) -> list[Verdict]:
    """Return all verdicts of the assignment, by student."""
    files = sorted((results / assignment.id).glob("*.json"))
    return [verdict for file in files if (verdict := read_verdict(file))]
