"""Put the numbers of a class report into tables, for CSV files."""

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
    """A table of numbers and texts; `name` is the end of its CSV file's name."""

    name: str
    columns: list[str]
    rows: list[list[Cell]]


def points_table(name: str, found: list[Bin]) -> NumberTable:
    """Return a histogram of points as a table. `name` ends the name of its file."""
    rows: list[list[Cell]] = [[one.low, one.high, one.students] for one in found]
    return NumberTable(name, ["from points", "to points", "students"], rows)


def losses_table(found: list[Loss]) -> NumberTable:
    """Return the reasons for lost points as a table."""
    rows: list[list[Cell]] = [[one.reason, round(one.points, 4), one.students] for one in found]
    return NumberTable("lost", ["why", "points lost", "students"], rows)


def items_table(
    name: str, items: list[ItemStatistics], states: dict[str, Counter[str]]
) -> NumberTable:
    """Return a table with the difficulty of exercises or checks. `name` ends the name of its file.
    `states` has, for each exercise, how many students are in each state.
    """
    columns = ["exercise", "check", "points", "attempted", "passed", "share of points"]
    columns += [STATES[state] or state for state in STATES]
    rows: list[list[Cell]] = [
        [
            one.exercise,
            "" if one.id == one.exercise else one.id,
            *(one.max_points, one.attempted, one.passed),
            None if one.share is None else round(one.share, 4),
            *(states[one.exercise][state] for state in STATES),
        ]
        for one in items
    ]
    return NumberTable(name, columns, rows)


def mistakes_table(found: list[MistakeInClass], names: bool) -> NumberTable:
    """Return a table of known mistakes, and of checks that failed without one; with `names`, also
    the ids of the students.
    """
    columns = ["exercise", "mistake", "check", "sentence", "students", "points lost"]
    rows: list[list[Cell]] = [
        [
            one.exercise,
            *((one.id, "") if one.is_known else ("", one.id)),
            *(one.sentence, len(one.students), round(one.cost, 4)),
            *([" ".join(one.students)] if names else []),
        ]
        for one in found
    ]
    return NumberTable("mistakes", [*columns, *(["who"] if names else [])], rows)


def submissions_table(graded: int, needs: list[Need]) -> NumberTable:
    """Return a table with the number of graded submissions (`graded`), and of those that need
    attention, by kind.
    """
    rows: list[list[Cell]] = [[one.what, one.count] for one in needs]
    return NumberTable("submissions", ["what", "how many"], [["graded", graded], *rows])


def sections_table(found: list[Section]) -> NumberTable:
    """Return the counts and points of each section as a table."""
    columns = ["section", "students", "graded", "a quarter has less", "median points"]
    columns += ["a quarter has more", "unreadable", "not handed in", "late", "to be marked"]
    rows: list[list[Cell]] = []
    for one in found:
        of = one.quarters
        points = [None] * 3 if of is None else [of.first, of.median, of.third]
        counts = [one.unreadable, one.missing, one.late, one.waiting]
        rows.append([one.name, one.students, one.graded, *points, *counts])
    return NumberTable("sections", columns, rows)


def gone_table(found: list[ResolvedMistake]) -> NumberTable:
    """Return a table of mistakes in earlier submissions, with how many students have fixed them."""
    columns = ["exercise", "mistake", "sentence", "gone", "cannot be told"]
    rows: list[list[Cell]] = [
        [one.exercise, one.id, one.sentence, len(one.gone), len(one.unclear)] for one in found
    ]
    return NumberTable("gone", columns, rows)


def inquiries_table(found: list[Counts]) -> NumberTable:
    """Return a table with how many inquiries there are, and how many of them are answered and
    changed points, by exercise and by marker. `found`: as `inquiry_counts` returns it.
    """
    columns = ["by", "name", "inquiries", "answered", "changed"]
    return NumberTable("inquiries", columns, [[*one] for one in found])


def students_table(verdicts: Iterable[Verdict], names: Mapping[str, str]) -> NumberTable:
    """Return a table with each student's id, name, state of the verdict, points and maximum.
    `names` has the students' names by id; an unknown name is "".

    Only a report that may show students' names contains this table.
    """
    rows: list[list[Cell]] = [
        [one.student, names.get(one.student, ""), one.state, one.points, one.max_points]
        for one in verdicts
    ]
    return NumberTable("students", ["student", "name", "state", "points", "of"], rows)
