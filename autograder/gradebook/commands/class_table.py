"""Show the results of a class, and changes by a regrade, as tables and lines on a terminal."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from rich.box import SIMPLE_HEAD
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from autograder._commands.terminal import Terminal
from autograder.classroom.blocks.verdict_blocks import STATES
from autograder.engine import Assignment, Verdict, courses, name_some, points_text, verdicts
from autograder.gradebook.commands.late_lines import late_cell, late_days_cell
from autograder.gradebook.commands.short_names import legend, short_names
from autograder.gradebook.lateness.late import Lateness

LATE_HEADINGS = "late", "days\nleft"  # of the late days that the course grants
MEASURED = 10_000  # columns, more than any table needs
LONGEST_STUDENT = 16  # columns; where there is no room for more, longer ids are folded


def class_table(
    assignment: Assignment,
    verdicts: list[Verdict],
    console: Terminal,
    late: Mapping[str, Lateness] = MappingProxyType({}),
    unsaid: Collection[str] = (),
) -> Table:
    """Return a table with a row for each student: points by exercise, total, and state. If it is
    too wide for `console`, show only the total and a caption.

    `late`: lateness by student, for penalty columns. `unsaid`: students marked as late by the
    platform without a time.
    """
    late_cells = {
        verdict.student: _late_cells(verdict.student, late, unsaid) for verdict in verdicts
    }
    table = _class_table(assignment, verdicts, assignment.exercises, late_cells)
    unlimited = console.options.update_width(MEASURED)
    if Measurement.get(console, unlimited, table).minimum <= console.width:
        return table
    return _class_table(assignment, verdicts, (), late_cells)


def _class_table(
    assignment: Assignment,
    verdicts: list[Verdict],
    exercises: Sequence[courses.Exercise],
    late_cells: Mapping[str, tuple[str, str]],
) -> Table:
    names = short_names(exercise.id for exercise in exercises)
    table = Table(title=assignment.id, box=SIMPLE_HEAD, padding=0, show_edge=False)
    table.caption = legend(names) or "The points of each exercise are in grades.csv."
    table.title_justify = table.caption_justify = "left"
    longest = max((len(verdict.student) for verdict in verdicts), default=0)
    table.add_column("student", min_width=min(longest, LONGEST_STUDENT), overflow="fold")
    for exercise in exercises:
        heading = Text(f"{names[exercise.id]}\n/{points_text(exercise.points)}")
        table.add_column(heading, justify="right", no_wrap=True)
    max_points = sum(exercise.points for exercise in assignment.exercises)
    table.add_column(Text(f"points\n/{points_text(max_points)}"), justify="right", no_wrap=True)
    late_columns = [
        column for column in (0, 1) if any(cells[column] for cells in late_cells.values())
    ]
    for column in late_columns:
        table.add_column(Text(LATE_HEADINGS[column]), justify="right", no_wrap=True)
    table.add_column("state", min_width=len("unreadable"))
    for verdict in verdicts:
        points = [_cell(exercise.points, exercise.state) for exercise in verdict.exercises]
        points += ["·"] * (len(assignment.exercises) - len(points))
        total = points_text(verdict.points) if verdict.state == "graded" else "·"
        cells = [late_cells[verdict.student][column] for column in late_columns]
        row = [*points[: len(exercises)], total, *cells, _state(verdict)]
        table.add_row(verdict.student, *row)
    return table


def reason_lines(listed: Iterable[Verdict | verdicts.Summary]) -> Iterator[str]:
    """Yield a line with the students for each reason why submissions are unreadable or not graded."""
    students_by_reason: dict[tuple[str, str], list[str]] = {}
    for verdict in listed:
        if verdict.reason:
            students_by_reason.setdefault((verdict.state, verdict.reason), []).append(
                verdict.student
            )
    for (state, reason), students in students_by_reason.items():
        if len(students) == 1:
            yield f"{students[0]}: {reason}"
        else:
            are = "have no readable notebook" if state == "unreadable" else "are not graded"
            yield f"{len(students)} students {are} ({name_some(students)}): {reason}"


def repair_lines(listed: Iterable[Verdict | verdicts.Summary]) -> Iterator[str]:
    """Yield a line for each notebook that was repaired before grading."""
    for verdict in listed:
        if verdict.repairs:
            yield f"{verdict.student}: {' '.join(verdict.repairs)}"


def note_lines(listed: Iterable[Verdict | verdicts.Summary]) -> Iterator[str]:
    """Yield a line for each student with notes for staff."""
    for verdict in listed:
        if verdict.notes:
            yield f"{verdict.student}, to look at: {' '.join(verdict.notes)}"


def identical_lines(summaries: Iterable[verdicts.Summary]) -> Iterator[str]:
    """Yield a line for each group of identical submissions, except those without an attempt."""
    groups: dict[str, list[str]] = defaultdict(list)
    for summary in summaries:
        if summary.is_attempted:
            groups[summary.submission].append(summary.student)
    for students in sorted(groups.values()):
        if len(students) > 1:
            yield f"{len(students)} submissions are identical: {', '.join(students)}."


def changes_table(rows: Iterable[tuple[str, str, str, str, str]]) -> Table:
    """Return a table of students whose result changed although the submission is the same.
    Students with a different total come first.

    `rows`: student, points before, points now, difference ("" for 0), and the reasons, a line for
    each.
    """
    table = Table(title="for the same submission", title_justify="left", box=SIMPLE_HEAD)
    table.add_column("student", no_wrap=True)
    for heading in ("before", "now", "by"):
        table.add_column(heading, justify="right")
    table.add_column("because of")
    for *cells, reasons in sorted(rows, key=lambda row: (not row[3], row)):
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
    marks += ["practice"] * verdict.is_practice
    return ", ".join([*(sorted(states) or ["answered"]), *marks])
