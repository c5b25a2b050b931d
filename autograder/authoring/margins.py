"""How far the graders' comparisons stay from their limits, for right code and for wrong code.

The normalised error of a comparison is 1 at its limit: how far an answer is from what was expected,
in units of the tolerance, or the reverse where it had to differ. Correct submissions should stay far
below 1, and a mistake should be far above it in some comparison of each check that has to catch it.
Measured in this process, without walls: so that precision and threads can be chosen.
"""

import csv
import math
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from rich.table import Table

from autograder.authoring.rows import Row, all_rows
from autograder.authoring.without_walls import examine_without_walls
from autograder.engine.assignment import Assignment
from autograder.engine.examiner.checks import CheckRun
from autograder.engine.examiner.session import PRECISIONS
from autograder.engine.verdict import check_name, check_sentence
from autograder.report.terminal import Terminal

FACTOR = 10  # of room that has to be left, on both sides of every limit


class Conditions(NamedTuple):
    """How a row is examined: its random numbers, the precisions that are tried, threads of torch."""

    seed: int
    precisions: tuple[bool, ...]  # True: float64, False: float32
    threads: int


class Measured(NamedTuple):
    """What one row did to one check: its worst normalised error, and whether the check passed."""

    exercise: str
    check: str
    row: str
    normalised_error: float
    passed: bool
    message: str | None


class Failure(NamedTuple):
    """A correct submission that failed the check, and what the check said."""

    place: str
    message: str | None


@dataclass
class Margin:
    """Of one check: the worst that a correct submission does to it, the least that a mistake does."""

    exercise: str
    check: str
    right: float = 0.0
    right_row: str = ""
    wrong: float = math.inf
    wrong_row: str = ""
    failures: list[Failure] = field(default_factory=list)  # the first of each correct submission

    @property
    def numerical(self) -> bool:
        """Whether the check compares numbers at all."""
        return self.right > 0 or bool(self.wrong_row)

    def add(
        self, row: Row, normalised_error: float, passed: bool, message: str | None = None
    ) -> None:
        """Take one row's worst comparison in this check."""
        name = check_name(self.check).removeprefix("test_")
        must_fail = any(name in mistake.caught_by for mistake in row.mistakes)
        if row.is_right and not passed:
            if row.place not in {failure.place for failure in self.failures}:
                self.failures.append(Failure(row.place, message))
        elif row.is_right and normalised_error > self.right:
            self.right, self.right_row = normalised_error, row.id
        elif must_fail and normalised_error > 1:
            first = not self.wrong_row  # which may be infinite
            if first or normalised_error < self.wrong:
                self.wrong, self.wrong_row = normalised_error, row.id


def measure_margins(
    assignment: Assignment, rows: list[Row], seeds: int, jobs: int, exercise: str = ""
) -> list[Margin]:
    """Examine these rows with this many seeds, in float64 or float32 and in float32 alone, with one
    thread and with two: in one exercise, or in all.
    """
    margins: dict[tuple[str, str], Margin] = {}
    by_id = {row.id: row for row in rows}
    measure = partial(measure_rows, assignment, rows=rows, exercise=exercise)
    for threads in (1, 2):  # one after the other: threads that share processors wait for each other
        conditions = [
            Conditions(seed, precisions, threads)
            for seed in range(seeds)
            for precisions in (PRECISIONS, (False,))
        ]
        workers = max(1, jobs // threads)
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            for all_measured in pool.map(measure, conditions):
                for one in all_measured:
                    margin = margins.setdefault(
                        (one.exercise, one.check), Margin(one.exercise, one.check)
                    )
                    margin.add(by_id[one.row], one.normalised_error, one.passed, one.message)
    return list(margins.values())


def measure_rows(
    assignment: Assignment,
    conditions: Conditions,
    rows: list[Row] | None = None,
    exercise: str = "",
) -> list[Measured]:
    """Examine these rows (all of the assignment), pairs aside, under these conditions."""
    return [
        Measured(run.exercise, run.id, row.id, run.worst_error, run.passed, run.message)
        for row in (all_rows(assignment) if rows is None else rows)
        if len(row.mistakes) < 2
        for run in _examine(assignment, row, conditions, exercise)
    ]


def _examine(assignment: Assignment, row: Row, conditions: Conditions, only: str) -> list[CheckRun]:
    """Put to a row the checks of the exercises that it changes, or of one of them only."""
    exercises = [e for e in assignment.exercises if e.id in row.cells and only in ("", e.id)]
    if not exercises:
        return []
    cells = assignment.solved_cells() | row.cells
    seed, precisions, threads = conditions
    return examine_without_walls(assignment, cells, seed, exercises, precisions, threads)


def print_margins(console: Terminal, margins: list[Margin], path: Path) -> list[str]:
    """Print and write the table; return what is too narrow, in words."""
    table = Table(title="margins, in units of the tolerance", title_justify="left", box=None)
    for heading in ("check", "right, at most", "by", "wrong, at least", "by"):
        table.add_column(heading, overflow="fold")
    lines, narrow = [], []
    failing: dict[str, str] = {}  # by place, which is told once
    for margin in margins:
        name = f"{margin.exercise}: {check_sentence(margin.check)}"
        for place, message in margin.failures:
            check = check_sentence(margin.check)
            failing.setdefault(
                place, f"{place} fails `{check}` with some seed or precision: {message}"
            )
        if margin.right * FACTOR > 1:
            narrow.append(f"{name}: {margin.right_row} comes to {margin.right:.2g}")
        if margin.wrong < FACTOR:
            narrow.append(f"{name}: {margin.wrong_row} comes to {margin.wrong:.2g} only")
        if margin.numerical:
            line = [
                name,
                f"{margin.right:.1g}",
                margin.right_row,
                f"{margin.wrong:.1g}",
                margin.wrong_row,
            ]
            table.add_row(*line)
            lines.append(line)
    console.print(table)
    narrow += failing.values()
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["check", "right", "by", "wrong", "by"], *lines])
    return narrow
