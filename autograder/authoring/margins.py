"""Margins: how far the graders' comparisons stay from their tolerance, for correct and wrong code.

The normalised error of a comparison is the distance between the answer and the expected value,
divided by the tolerance (the inverse where they must differ). Above 1, the comparison fails. For
example:

    check                      right, at most   wrong, at least
    attention: mask is used    0.02             3e+02              fine: both are far from 1
    encoder: positions         0.4              3e+02              too narrow: rounding may fail it

Correct submissions must stay below 1 / FACTOR, and each mistake above FACTOR in the checks that
must catch it. Correct submissions are also examined in float32 alone, where rounding is largest
(`without_walls.py`).
"""

import csv
import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from autograder._commands.terminal import Terminal
from autograder.authoring.row import MatrixRow
from autograder.engine import examiner, verdicts

FACTOR = 10  # required distance from the limit, on both sides
Runs = tuple[MatrixRow, list[examiner.CheckRun]]


@dataclass
class Margin:
    """For a check, the largest error of a correct submission and the smallest of a mistake.

    Each has the row that it comes from. The check must catch the mistake.
    """

    exercise: str
    check: str
    right: float = 0.0
    right_row: str = ""
    wrong: float = math.inf
    wrong_row: str = ""

    @property
    def name(self) -> str:
        """The exercise and the check, in words."""
        return f"{self.exercise}: {verdicts.check_sentence(self.check)}"

    @property
    def numerical(self) -> bool:
        """Whether the check compares numbers, so that it has a margin."""
        return self.right > 0 or bool(self.wrong_row)

    def add(self, row: MatrixRow, run: examiner.CheckRun) -> None:
        """Update the margin by a row's result (`run`) in this check.

        A correct row that passed may raise the largest error of correct submissions. A row with a
        mistake that the check must catch may lower the smallest error of mistakes, if its own error
        is above 1.
        """
        name = verdicts.check_name(self.check).removeprefix("test_")
        must_fail = any(name in mistake.caught_by for mistake in row.mistakes)
        error = run.worst_error
        if row.is_right and run.passed and error > self.right:
            self.right, self.right_row = error, row.id
        first = not self.wrong_row  # the first error may be infinite
        if must_fail and error > 1 and (first or error < self.wrong):
            self.wrong, self.wrong_row = error, row.id


def margins_of(examined: Iterable[Runs], about: Collection[str]) -> list[Margin]:
    """Return the margin of each check of the exercises `about` (ids).

    Only rows that change the exercise count. `examined`: rows with the results of their checks.
    """
    margins: dict[tuple[str, str], Margin] = {}
    for row, runs in examined:
        for run in runs:
            if run.exercise in about and row.is_about(run.exercise):
                key = run.exercise, run.id
                margins.setdefault(key, Margin(*key)).add(row, run)
    return list(margins.values())


def failing(examined: Iterable[Runs]) -> list[str]:
    """Return a sentence for each correct row that fails a check, about its first failure."""
    sentences: dict[str, str] = {}
    for row, runs in examined:
        for run in runs:
            if row.is_right and not run.passed:
                check = f"`{verdicts.check_sentence(run.id)}` with some seed or precision"
                sentences.setdefault(row.place, f"{row.place} fails {check}: {run.message}")
    return list(sentences.values())


def print_margins(console: Terminal, margins: list[Margin], path: Path) -> list[str]:
    """Print the table of margins and write it to `path` as CSV.

    Return a sentence for each margin that is too narrow.
    """
    table = Table(title="margins, in units of the tolerance", title_justify="left", box=None)
    for heading in ("check", "right, at most", "by", "wrong, at least", "by"):
        table.add_column(heading, overflow="fold")
    lines = [
        [
            margin.name,
            f"{margin.right:.1g}",
            margin.right_row,
            f"{margin.wrong:.1g}",
            margin.wrong_row,
        ]
        for margin in margins
        if margin.numerical
    ]
    for line in lines:
        table.add_row(*line)
    console.print(table)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["check", "right", "by", "wrong", "by"], *lines])
    narrow = []
    for margin in margins:
        if margin.right * FACTOR > 1:
            narrow.append(f"{margin.name}: {margin.right_row} comes to {margin.right:.2g}")
        if margin.wrong < FACTOR:
            narrow.append(f"{margin.name}: {margin.wrong_row} comes to {margin.wrong:.2g} only")
    return narrow
