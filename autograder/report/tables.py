"""The numbers of a report as plain tables: beside each plot on the page, and for CSV files."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from autograder.engine.verdict import Verdict
from autograder.gradebook.check_cell import STATES
from autograder.report.items import Item
from autograder.report.mistakes import Gone, Loss, MistakeInClass, Together, Unexplained
from autograder.report.sections import Section
from autograder.report.statistics import Estimate

MOST_BINS = 25

Cell = str | float | None


@dataclass(frozen=True)
class NumberTable:
    """Columns and rows; `name` is the end of the CSV file's name."""

    name: str
    columns: list[str]
    rows: list[list[Cell]]


@dataclass(frozen=True)
class Bin:
    """How many students have at least `low` points and fewer than `high`; the last one also has those
    with `high`.
    """

    low: float
    high: float
    students: int


def bins(points: Sequence[float], max_points: float) -> list[Bin]:
    """Return the distribution of points, in steps of 1, 2 or 5 times a power of ten (or 0.5)."""
    most = max([max_points, *points, 0.0])
    if most <= 0:
        return []
    width = next(
        step * 10**power
        for power in range(-3, 308)
        for step in (1, 2, 5)
        if most / (step * 10**power) <= MOST_BINS
    )
    width = max(width, 0.5) if most >= 5 else width
    count = max(1, math.ceil(round(most / width, 6)))
    counts = Counter(min(int(one / width + 1e-9), count - 1) for one in points)
    return [Bin(round(k * width, 6), round((k + 1) * width, 6), counts[k]) for k in range(count)]


def points_table(found: list[Bin]) -> NumberTable:
    rows: list[list[Cell]] = [[one.low, one.high, one.students] for one in found]
    return NumberTable("points", ["from points", "to points", "students"], rows)


def items_table(name: str, items: list[Item], states: dict[str, Counter[str]]) -> NumberTable:
    """Exercises or checks; the states are those of each exercise."""
    columns = ["exercise", "check", "points", "attempted", *_interval("share of points")]
    columns += _interval("discrimination")
    columns += [STATES[state] or state for state in STATES]
    rows = [
        [
            one.exercise,
            "" if one.id == one.exercise else one.id,
            one.max_points,
            one.count,
            *_estimate(one.share),
            *_estimate(one.discrimination),
            *(states[one.exercise][state] for state in STATES),
        ]
        for one in items
    ]
    return NumberTable(name, columns, rows)


def submissions_table(counts: dict[str, int]) -> NumberTable:
    """How many submissions there are of each kind."""
    return NumberTable("submissions", ["what", "how many"], [list(one) for one in counts.items()])


def losses_table(found: list[Loss]) -> NumberTable:
    rows: list[list[Cell]] = [[one.reason, round(one.points, 4), one.students] for one in found]
    return NumberTable("lost", ["why", "points lost", "students"], rows)


def mistakes_table(
    found: list[MistakeInClass], examples: dict[tuple[str, str], str], names: bool
) -> NumberTable:
    columns = ["exercise", "mistake", "sentence", "students", "points lost", "example"]
    rows: list[list[Cell]] = [
        [
            one.exercise,
            one.id,
            one.sentence,
            len(one.students),
            round(one.cost, 4),
            examples.get((one.exercise, one.id)),
        ]
        for one in found
    ]
    return _with_students("mistakes", columns, rows, [one.students for one in found], names)


def unexplained_table(found: list[Unexplained], names: bool) -> NumberTable:
    columns = ["exercise", "check", "question", "students", "points lost"]
    rows: list[list[Cell]] = [
        [one.exercise, one.check, one.message, len(one.students), round(one.cost, 4)]
        for one in found
    ]
    return _with_students("unexplained", columns, rows, [one.students for one in found], names)


def together_table(found: list[Together]) -> NumberTable:
    columns = ["exercise", "mistake", "students", "other exercise", "other mistake"]
    columns += ["students with the other", "students with both", "lift"]
    rows: list[list[Cell]] = [
        [
            *(pair.one.exercise, pair.one.id, len(pair.one.students)),
            *(pair.other.exercise, pair.other.id, len(pair.other.students)),
            *(pair.both, round(pair.lift, 2)),
        ]
        for pair in found
    ]
    return NumberTable("together", columns, rows)


def gone_table(found: list[Gone]) -> NumberTable:
    columns = ["exercise", "mistake", "sentence", "gone", "cannot be told"]
    rows: list[list[Cell]] = [
        [one.exercise, one.id, one.sentence, len(one.gone), len(one.unclear)] for one in found
    ]
    return NumberTable("gone", columns, rows)


def sections_table(found: list[Section]) -> NumberTable:
    columns = ["section", "students", "graded", *_interval("median points")]
    columns += ["a quarter has less", "a quarter has more", "unreadable", "not handed in", "late"]
    columns += ["to be marked"]
    rows: list[list[Cell]] = [
        [
            *(one.name, one.students, one.graded, *_estimate(one.points)),
            *(one.quarters or (None, None)),
            *(one.unreadable, one.missing, one.late, one.waiting),
        ]
        for one in found
    ]
    return NumberTable("sections", columns, rows)


def students_table(verdicts: Iterable[Verdict], names: dict[str, str]) -> NumberTable:
    """Who has what, for a report with names."""
    rows: list[list[Cell]] = [
        [one.student, names.get(one.student, ""), one.state, one.points, one.max_points]
        for one in verdicts
    ]
    return NumberTable("students", ["student", "name", "state", "points", "of"], rows)


def _with_students(
    name: str, columns: list[str], rows: list[list[Cell]], students: list[list[str]], names: bool
) -> NumberTable:
    if names:
        columns = [*columns, "who"]
        rows = [[*row, " ".join(who)] for row, who in zip(rows, students, strict=True)]
    return NumberTable(name, columns, rows)


def _interval(what: str) -> list[str]:
    return [what, f"{what} from", f"{what} to"]


def _estimate(one: Estimate | None) -> list[Cell]:
    return (
        [None] * 3 if one is None else [round(each, 2) for each in (one.value, one.low, one.high)]
    )
