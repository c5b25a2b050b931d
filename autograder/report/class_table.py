"""A class on a terminal: who has how many points, and what a regrade changes."""

from rich.box import SIMPLE_HEAD
from rich.table import Table

from autograder.assignment import Assignment
from autograder.classroom.changes import Change, shown
from autograder.report.check_cell import STATES, number
from autograder.verdict import Verdict


def class_table(assignment: Assignment, verdicts: list[Verdict]) -> Table:
    """Student, points by exercise, total, state; in words what is not plainly answered."""
    table = Table(title=assignment.id, title_justify="left", box=SIMPLE_HEAD)
    table.add_column("student", no_wrap=True)
    for exercise in assignment.exercises:
        heading = f"{exercise.id.replace('_', ' ')} /{number(exercise.points)}"
        table.add_column(heading, justify="right", max_width=9)
    whole = sum(exercise.points for exercise in assignment.exercises)
    table.add_column(f"points /{number(whole)}", justify="right", min_width=6)
    table.add_column("state", min_width=len("unreadable"))
    for verdict in verdicts:
        points = [_cell(exercise.points, exercise.state) for exercise in verdict.exercises]
        points += ["·"] * (len(assignment.exercises) - len(points))
        total = number(verdict.points) if verdict.state == "graded" else "·"
        table.add_row(verdict.student, *points, total, _state(verdict))
    return table


def changes_table(changes: list[Change]) -> Table:
    """Who gets other points for the same submission, and why."""
    table = Table(title="for the same submission", title_justify="left", box=SIMPLE_HEAD)
    table.add_column("student", no_wrap=True)
    for heading in ("before", "now", "by"):
        table.add_column(heading, justify="right")
    table.add_column("because of")
    for change in sorted(changes, key=lambda one: one.after.student):
        table.add_row(*shown(change))
    return table


def _cell(points: float, state: str) -> str:
    return number(points) if state == "answered" or points else "–"  # asked and not answered


def _state(verdict: Verdict) -> str:
    if verdict.state != "graded":
        return verdict.state.replace("_", " ")
    states = {STATES[exercise.state] for exercise in verdict.exercises} - {""}
    return ", ".join(sorted(states)) or "answered"
