"""How far the graders' comparisons stay from their limits, for right code and for wrong code.

The normalised_error of a comparison is 1 at its limit: how far an answer is from what was expected, in units of
the tolerance, or the reverse where it had to differ. Correct submissions should stay far below 1, and
a mistake should be far above it in some comparison of each check that has to catch it.
Measured in this process, without walls: so that precision and threads can be chosen.
"""

import csv
import math
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from rich.console import Console
from rich.table import Table

from autograder.engine.assignment import Assignment
from autograder.engine.examiner.session import Check
from autograder.gradebook.check_cell import sentence
from benchmarks.bare import examine_directly
from autograder.authoring.rows import Row, all_rows

ROOM = 10  # a factor, on both sides of every limit


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
        return self.right > 0 or self.wrong < math.inf

    def add(self, row: Row, normalised_error: float, passed: bool) -> None:
        """Take one row's worst comparison in this check."""
        must_fail = any(self.check == f"test_{name}" for m in row.mistakes for name in m.caught_by)
        if not row.mistakes and not passed:
            self.others.append(f"{row.id} fails")
        elif not row.mistakes and normalised_error > self.right:
            self.right, self.right_row = normalised_error, row.id
        elif must_fail and 1 < normalised_error < self.wrong:
            self.wrong, self.wrong_row = normalised_error, row.id


def measure_margins(assignment: Assignment, seeds: int, jobs: int) -> list[Margin]:
    """Ask every row, in every way, from this many seeds."""
    margins: dict[tuple[str, str], Margin] = {}
    rows = {row.id: row for row in all_rows(assignment)}
    for threads in (1, 2):  # one after the other: threads that share processors wait for each other
        tasks = [(seed, double, threads) for seed in range(seeds) for double in (True, False)]
        workers = max(1, jobs // threads)
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            for items in pool.map(partial(ask_every_row, assignment), tasks):
                for exercise, check, row, normalised_error, passed in items:
                    margin = margins.setdefault((exercise, check), Margin(exercise, check))
                    margin.add(rows[row], normalised_error, passed)
    return list(margins.values())


def ask_every_row(
    assignment: Assignment, task: tuple[int, bool, int]
) -> list[tuple[str, str, str, float, bool]]:
    """Return (exercise, check, row, worst normalised_error, passed) for a seed, a precision, a thread count."""
    seed, double, threads = task
    return [
        (check.exercise, check.id, row.id, max(check.normalised_errors, default=0.0), check.passed)
        for row in all_rows(assignment)
        if len(row.mistakes) < 2
        for check in _ask(assignment, row, seed, double, threads)
    ]


def _ask(assignment: Assignment, row: Row, seed: int, double: bool, threads: int) -> list[Check]:
    """Put the checks of the exercises that this row changes to it."""
    exercises = [e for e in assignment.exercises if e.id in row.cells]
    cells = assignment.solved_cells() | row.cells
    return examine_directly(assignment, cells, seed, exercises, double=double, threads=threads)


def print_margins(console: Console, margins: list[Margin], path: Path) -> list[str]:
    """Print and write the table; return what is too narrow, in words."""
    table = Table(title="margins, in units of the tolerance", title_justify="left", box=None)
    for heading in ("check", "right, at most", "by", "wrong, at least", "by"):
        table.add_column(heading, overflow="fold")
    lines, narrow = [], []
    for margin in margins:
        name = f"{margin.exercise}: {sentence(margin.check)}"
        narrow += [f"{name}: {other}" for other in margin.others]
        if margin.right * ROOM > 1:
            narrow.append(f"{name}: {margin.right_row} comes to {margin.right:.2g}")
        if margin.wrong < ROOM:
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
