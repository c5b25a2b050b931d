"""A class on a terminal: who has how many points, and what a regrade changes."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from autograder.engine.assignment import Assignment
from autograder.engine.verdict import Verdict, points_text
from autograder.gradebook.check_cell import STATES
from autograder.gradebook.late import Lateness
from autograder.report.lateness import late_cell, late_days_cell


def class_table(
    assignment: Assignment,
    verdicts: list[Verdict],
    late: Mapping[str, Lateness] = MappingProxyType({}),
    unsaid: Collection[str] = (),
) -> Table:
    """Return a row a student: points by exercise, total, and in words what is not plainly answered.

    A column says what being `late` costs, by student, where somebody is; `unsaid` are those whom the
    platform calls late without saying when.
    """
    table = Table(title=assignment.id, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("student", no_wrap=True)
    for exercise in assignment.exercises:
        heading = f"{exercise.id.replace('_', ' ')} /{points_text(exercise.points)}"
        table.add_column(heading, justify="right", max_width=9)
    whole = sum(exercise.points for exercise in assignment.exercises)
    table.add_column(f"points /{points_text(whole)}", justify="right", min_width=6)
    late_cells = {one.student: _late_cells(one.student, late, unsaid) for one in verdicts}
    headings = ("late", "days left")  # of the late days that the course grants
    shown = [place for place in (0, 1) if any(cells[place] for cells in late_cells.values())]
    for place in shown:
        table.add_column(headings[place], justify="right", max_width=6)
    table.add_column("state", min_width=len("unreadable"))
    for verdict in verdicts:
        points = [_cell(exercise.points, exercise.state) for exercise in verdict.exercises]
        points += ["·"] * (len(assignment.exercises) - len(points))
        total = points_text(verdict.points) if verdict.state == "graded" else "·"
        cells = [late_cells[verdict.student][place] for place in shown]
        table.add_row(verdict.student, *points, total, *cells, _state(verdict))
    return table


def repair_lines(verdicts: Iterable[Verdict]) -> Iterator[str]:
    """Yield a line for each student whose notebook had to be repaired: what was repaired."""
    for verdict in verdicts:
        if verdict.repairs:
            yield f"{verdict.student}: {' '.join(verdict.repairs)}"


def note_lines(verdicts: Iterable[Verdict]) -> Iterator[str]:
    """Yield a line for each student whose submission staff should look at: the notes."""
    for verdict in verdicts:
        if verdict.notes:
            yield f"{verdict.student}, to look at: {' '.join(verdict.notes)}"


def changes_table(rows: Iterable[tuple[str, str, str, str, str]]) -> Table:
    """Return who gets other points for the same submission: student, before, now, by how much, why."""
    table = Table(title="for the same submission", title_justify="left", box=SIMPLE_HEAD)
    table.add_column("student", no_wrap=True)
    for heading in ("before", "now", "by"):
        table.add_column(heading, justify="right")
    table.add_column("because of")
    for row in sorted(rows):
        *cells, reasons = row
        table.add_row(*cells, Text(reasons))  # a line each
    return table


def _late_cells(
    student: str, late: Mapping[str, Lateness], unsaid: Collection[str]
) -> tuple[str, str]:
    return late_cell(late.get(student), student in unsaid), late_days_cell(late.get(student))


def _cell(points: float, state: str) -> str:
    return points_text(points) if state == "answered" or points else "–"  # asked and not answered


def _state(verdict: Verdict) -> str:
    if verdict.state != "graded":
        return verdict.state.replace("_", " ")
    states = {STATES[exercise.state] for exercise in verdict.exercises} - {""}
    marks = ["repaired"] * bool(verdict.repairs) + ["noted"] * bool(verdict.notes)
    return ", ".join([*(sorted(states) or ["answered"]), *marks])
