"""Put the numbers of a class report into tables for CSV files."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from autograder.classroom.blocks.verdict_blocks import STATES
from autograder.desk.inquiries.deciders import Counts
from autograder.desk.report.items import ItemStatistics
from autograder.desk.report.mistakes import Loss, MistakeInClass, ResolvedMistake
from autograder.desk.report.needs import Need
from autograder.desk.report.points import Bin
from autograder.desk.report.sections import Section
from autograder.engine import Verdict

Cell = str | float | None


@dataclass(frozen=True)
class NumberTable:
    """A table of numbers and texts. `name` ends the name of its CSV file."""

    name: str
    columns: list[str]
    rows: list[list[Cell]]


def points_table(name: str, bins: list[Bin]) -> NumberTable:
    """Return a histogram of points as a table."""
    rows: list[list[Cell]] = [[bin.low, bin.high, bin.students] for bin in bins]
    return NumberTable(name, ["from points", "to points", "students"], rows)


def losses_table(losses: list[Loss]) -> NumberTable:
    """Return the reasons for lost points as a table."""
    rows: list[list[Cell]] = [
        [loss.reason, round(loss.points, 4), loss.students] for loss in losses
    ]
    return NumberTable("lost", ["why", "points lost", "students"], rows)


def items_table(
    name: str, items: list[ItemStatistics], states: dict[str, Counter[str]]
) -> NumberTable:
    """Return a table with the difficulty of exercises or checks. `states`: for each exercise, the
    number of students in each state.
    """
    columns = ["exercise", "check", "points", "attempted", "passed", "share of points"]
    columns += [STATES[state] or state for state in STATES]
    rows: list[list[Cell]] = [
        [
            item.exercise,
            "" if item.id == item.exercise else item.id,
            *(item.max_points, item.attempted, item.passed),
            None if item.share is None else round(item.share, 4),
            *(states[item.exercise][state] for state in STATES),
        ]
        for item in items
    ]
    return NumberTable(name, columns, rows)


def mistakes_table(mistakes: list[MistakeInClass], names: bool) -> NumberTable:
    """Return a table of known mistakes and failed checks. `names`: add the students' ids."""
    columns = ["exercise", "mistake", "check", "sentence", "students", "points lost"]
    rows: list[list[Cell]] = [
        [
            mistake.exercise,
            *((mistake.id, "") if mistake.is_known else ("", mistake.id)),
            *(mistake.sentence, len(mistake.students), round(mistake.cost, 4)),
            *([" ".join(mistake.students)] if names else []),
        ]
        for mistake in mistakes
    ]
    return NumberTable("mistakes", [*columns, *(["who"] if names else [])], rows)


def submissions_table(graded: int, needs: list[Need]) -> NumberTable:
    """Return a table with the number of graded submissions, and of those that need attention."""
    rows: list[list[Cell]] = [[need.what, need.count] for need in needs]
    return NumberTable("submissions", ["what", "how many"], [["graded", graded], *rows])


def sections_table(sections: list[Section]) -> NumberTable:
    """Return the counts and points of each section as a table."""
    columns = ["section", "students", "graded", "a quarter has less", "median points"]
    columns += ["a quarter has more", "unreadable", "not handed in", "late", "to be marked"]
    rows: list[list[Cell]] = []
    for section in sections:
        quartiles = section.quarters
        points = (
            [None] * 3
            if quartiles is None
            else [quartiles.first, quartiles.median, quartiles.third]
        )
        counts = [section.unreadable, section.missing, section.late, section.waiting]
        rows.append([section.name, section.students, section.graded, *points, *counts])
    return NumberTable("sections", columns, rows)


def gone_table(mistakes: list[ResolvedMistake]) -> NumberTable:
    """Return a table of mistakes in earlier submissions, with the number of fixes."""
    columns = ["exercise", "mistake", "sentence", "gone", "cannot be told"]
    rows: list[list[Cell]] = [
        [mistake.exercise, mistake.id, mistake.sentence, len(mistake.gone), len(mistake.unclear)]
        for mistake in mistakes
    ]
    return NumberTable("gone", columns, rows)


def inquiries_table(counts: list[Counts]) -> NumberTable:
    """Return a table with the number of inquiries, of answers and of changed points."""
    columns = ["by", "name", "inquiries", "answered", "changed"]
    return NumberTable("inquiries", columns, [[*row] for row in counts])


def students_table(verdicts: Iterable[Verdict], names: Mapping[str, str]) -> NumberTable:
    """Return a table of students, only for a report with names. `names`: by student id."""
    rows: list[list[Cell]] = [
        [
            verdict.student,
            names.get(verdict.student, ""),
            verdict.state,
            verdict.points,
            verdict.max_points,
        ]
        for verdict in verdicts
    ]
    return NumberTable("students", ["student", "name", "state", "points", "of"], rows)
