"""The table of a class as a file: grades.csv."""

import csv
from pathlib import Path

from autograder.assignment import Assignment
from autograder.replacing import replacing
from autograder.verdict import Verdict, read_verdict


def verdict_path(results: Path, assignment: Assignment, student: str) -> Path:
    return results / assignment.id / f"{student}.json"


def write_table(results: Path, assignment: Assignment) -> Path:
    """Write grades.csv from the verdicts: a row a student, a column an exercise, empty where nothing
    was graded.
    """
    path = results / assignment.id / "grades.csv"
    names = [exercise.id for exercise in assignment.exercises]
    with replacing(path) as file:
        table = csv.writer(file)
        table.writerow(["student", "state", "points", "max_points", *names])
        for verdict in kept_verdicts(results, assignment):
            points = {exercise.id: exercise.points for exercise in verdict.exercises}
            total = "" if verdict.state == "not_graded" else verdict.points
            row = [verdict.student, verdict.state, total, verdict.max_points]
            table.writerow(row + [points.get(name, "") for name in names])
    return path


def kept_verdicts(results: Path, assignment: Assignment) -> list[Verdict]:
    """All verdicts of the assignment, by student."""
    files = sorted((results / assignment.id).glob("*.json"))
    return [verdict for file in files if (verdict := read_verdict(file))]
