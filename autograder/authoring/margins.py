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

from rich.console import Console
from rich.table import Table

from autograder.authoring.rows import Row, all_rows
from autograder.authoring.without_walls import examine_without_walls
from autograder.engine.assignment import Assignment
from autograder.engine.examiner.checks import CheckRun
from autograder.engine.examiner.session import PRECISIONS
from autograder.engine.verdict import check_name, check_sentence

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


@dataclass
class Margin:
    """Of one check: the worst that a correct submission does to it, the least that a mistake does."""

    exercise: str
    check: str
    right: float = 0.0
    right_row: str = ""
    wrong: float = math.inf
    wrong_row: str = ""
    others: list[str] = field(default_factory=list)  # what is not as it has to be

    @property
    def numerical(self) -> bool:
        """Whether the check compares numbers at all."""
        return self.right > 0 or self.wrong < math.inf

    def add(self, row: Row, normalised_error: float, passed: bool) -> None:
        """Take one row's worst comparison in this check."""
        name = check_name(self.check).removeprefix("test_")
        must_fail = any(name in mistake.caught_by for mistake in row.mistakes)
        if not row.mistakes and not passed:
            self.others.append(f"{row.id} fails")
        elif not row.mistakes and normalised_error > self.right:
            self.right, self.right_row = normalised_error, row.id
        elif must_fail and 1 < normalised_error < self.wrong:
            self.wrong, self.wrong_row = normalised_error, row.id


def measure_margins(assignment: Assignment, seeds: int, jobs: int) -> list[Margin]:
    """Examine every row with this many seeds, in float64 or float32 and in float32 alone, with one
    thread and with two.
    """
    margins: dict[tuple[str, str], Margin] = {}
    rows = {row.id: row for row in all_rows(assignment)}
    for threads in (1, 2):  # one after the other: threads that share processors wait for each other
        conditions = [
            Conditions(seed, precisions, threads)
            for seed in range(seeds)
            for precisions in (PRECISIONS, (False,))
        ]
        workers = max(1, jobs // threads)
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            for all_measured in pool.map(partial(measure_rows, assignment), conditions):
                for one in all_measured:
                    margin = margins.setdefault(
                        (one.exercise, one.check), Margin(one.exercise, one.check)
                    )
                    margin.add(rows[one.row], one.normalised_error, one.passed)
    return list(margins.values())


def measure_rows(assignment: Assignment, conditions: Conditions) -> list[Measured]:
    """Examine every row, pairs aside, under these conditions."""
    return [
        Measured(run.exercise, run.id, row.id, run.worst_error, run.passed)
        for row in all_rows(assignment)
        if len(row.mistakes) < 2
        for run in _examine(assignment, row, conditions)
    ]


def _examine(assignment: Assignment, row: Row, conditions: Conditions) -> list[CheckRun]:
    """Put to a row the checks of the exercises that it changes."""
    exercises = [e for e in assignment.exercises if e.id in row.cells]
    cells = assignment.solved_cells() | row.cells
    seed, precisions, threads = conditions
    return examine_without_walls(assignment, cells, seed, exercises, precisions, threads)


def print_margins(console: Console, margins: list[Margin], path: Path) -> list[str]:
    """Print and write the table; return what is too narrow, in words."""
    table = Table(title="margins, in units of the tolerance", title_justify="left", box=None)
    for heading in ("check", "right, at most", "by", "wrong, at least", "by"):
        table.add_column(heading, overflow="fold")
    lines, narrow = [], []
    for margin in margins:
        name = f"{margin.exercise}: {check_sentence(margin.check)}"
        narrow += [f"{name}: {other}" for other in margin.others]
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
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["check", "right", "by", "wrong", "by"], *lines])
    return narrow
