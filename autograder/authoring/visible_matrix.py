"""Try the visible checks of a notebook on the rows of the kill matrix."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rich.table import Table

from autograder.authoring.row import MatrixRow
from autograder.authoring.toolbox.exercises import Result
from autograder.authoring.visible_checks import VisibleChecks


class VisibleResult(NamedTuple):
    """The result of the visible check of one exercise on one row of the kill matrix."""

    row: MatrixRow
    exercise: str
    result: Result

    @property
    def is_silent(self) -> bool:
        """Whether the check passes although the row has a mistake in the exercise."""
        return not self.row.is_right and self.result.state == "done"

    @property
    def is_false_alarm(self) -> bool:
        """Whether the check does not pass although the row is correct."""
        return self.row.is_right and self.result.state != "done"


def try_rows(
    checks: VisibleChecks, rows: Iterable[MatrixRow], only: str = ""
) -> Iterator[VisibleResult]:
    """Run the visible checks on these rows of the kill matrix; yield each result. For a row with a
    mistake, that is the check of its exercise; for a correct row, all checks.

    Rows with mistakes in several exercises are skipped. `only`: the one exercise to check; "" for
    all.
    """
    for row in rows:
        if len(row.exercises) > 1:
            continue
        asked = [name for name in checks.exercises if row.is_right or name in row.exercises]
        for name in [name for name in asked if only in ("", name)]:
            yield VisibleResult(row, name, checks.run(row.cells, name)[name])


def table_of(tried: list[VisibleResult]) -> Table:
    """Return a table for the terminal, a row for each exercise: how many mistakes its visible check
    does not notice, and its false alarms. `tried`: what `try_rows` yielded.
    """
    table = Table("exercise", "ways", "silent", "mistakes silent in every way", "false alarms")
    for name in dict.fromkeys(one.exercise for one in tried):
        mine = [one for one in tried if one.exercise == name]
        made = [one for one in mine if one.row.kind == "mistake"]
        caught = {one.row.mistakes[0].id for one in made if not one.is_silent}
        silent = Counter(one.row.mistakes[0].id for one in made if one.is_silent)
        share = f" ({sum(silent.values()) / len(made):.0%})" if made else ""
        alarms = sum(one.is_false_alarm for one in mine)
        table.add_row(
            name,
            str(len(made)),
            f"{sum(silent.values())}{share}",
            str(len(set(silent) - caught)),
            str(alarms),
        )
    return table
