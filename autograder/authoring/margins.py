"""How far the graders' comparisons stay from their limits, for right code and for wrong code.

The normalised error of a comparison is 1 at its limit: how far an answer is from what was expected,
in units of the tolerance, or the reverse where it had to differ. Correct submissions should stay far
below 1, and a mistake should be far above it in some comparison of each check that has to catch it.
The graded submissions have been compared once. Correct ones are examined again in float32 alone, where
rounding does most, in this process and without walls: so that the precision can be chosen.
"""

import csv
import math
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from rich.table import Table

from autograder.authoring.rows import Row
from autograder.authoring.without_walls import examine_without_walls
from autograder.engine.course.assignment import Assignment
from autograder.engine.examiner.checks import CheckRun
from autograder.engine.verdict.verdict import check_name, check_sentence
from autograder.report.terminal import Terminal

FACTOR = 10  # of room that has to be left, on both sides of every limit
FLOAT32_ALONE = (False,)
Examined = tuple[Row, list[CheckRun]]


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

    def add(self, row: Row, run: CheckRun) -> None:
        """Take one row's worst comparison in this check."""
        name = check_name(self.check).removeprefix("test_")
        must_fail = any(name in mistake.caught_by for mistake in row.mistakes)
        error = run.worst_error
        if row.is_right and not run.passed:
            if row.place not in {failure.place for failure in self.failures}:
                self.failures.append(Failure(row.place, run.message))
        elif row.is_right and error > self.right:
            self.right, self.right_row = error, row.id
        elif must_fail and error > 1:
            first = not self.wrong_row  # which may be infinite
            if first or error < self.wrong:
                self.wrong, self.wrong_row = error, row.id


def margins_of(examined: Iterable[Examined], about: Collection[str]) -> list[Margin]:
    """Return a margin for each check of these exercises, made of the rows that change them."""
    margins: dict[tuple[str, str], Margin] = {}
    for row, runs in examined:
        for run in runs:
            if run.exercise in about and _changes(row, run.exercise):
                key = run.exercise, run.id
                margins.setdefault(key, Margin(*key)).add(row, run)
    return list(margins.values())


def examine_in_float32(
    assignment: Assignment, rows: list[Row], seeds: int, jobs: int, about: Collection[str]
) -> Iterator[Examined]:
    """Examine each row with this many seeds, in float32 alone, in the exercises of these that it
    changes; yield it once a seed.
    """
    tries = [(row, seed) for row in rows for seed in range(seeds)]
    examine = partial(_examine, assignment, about)
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        runs_of_each = pool.map(examine, tries, chunksize=4)
        yield from ((row, runs) for (row, _), runs in zip(tries, runs_of_each, strict=True))


def _examine(
    assignment: Assignment, about: Collection[str], to_try: tuple[Row, int]
) -> list[CheckRun]:
    row, seed = to_try
    exercises = [e for e in assignment.exercises if e.id in about and _changes(row, e.id)]
    cells = assignment.solved_cells() | row.cells
    runs = examine_without_walls(assignment, cells, seed, exercises, FLOAT32_ALONE)
    return [run.without_recording() for run in runs]


def _changes(row: Row, exercise: str) -> bool:
    """Whether a row is about this exercise; the solution is about all."""
    return not row.cells or exercise in row.cells


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
