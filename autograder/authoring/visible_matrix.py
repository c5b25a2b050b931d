"""Try the visible checks of a notebook on the rows of the kill matrix."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rich.table import Table

from autograder.authoring.row import MatrixRow
from autograder.authoring.toolbox.exercises import Result
from autograder.authoring.visible_checks import VisibleChecks


class VisibleResult(NamedTuple):
    """The result of an exercise's visible check on a row of the kill matrix."""

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
    """Run the visible checks on rows of the kill matrix, and yield each result.

    For a row with a mistake, the check of its exercise is run. For a correct row, all checks are
    run. Rows with mistakes in several exercises are skipped. `only`: an exercise, or "" for all.
    """
    for row in rows:
        if len(row.exercises) > 1:
            continue
        exercises = [name for name in checks.exercises if row.is_right or name in row.exercises]
        for name in [name for name in exercises if only in ("", name)]:
            yield VisibleResult(row, name, checks.run(row.cells, name)[name])


def table_of(tried: list[VisibleResult]) -> Table:
    """Return a table for the terminal: silent mistakes and false alarms by exercise."""
    table = Table("exercise", "ways", "silent", "mistakes silent in every way", "false alarms")
    for name in dict.fromkeys(result.exercise for result in tried):
        exercise_results = [result for result in tried if result.exercise == name]
        mistake_results = [result for result in exercise_results if result.row.kind == "mistake"]
        caught = {result.row.mistakes[0].id for result in mistake_results if not result.is_silent}
        silent = Counter(
            result.row.mistakes[0].id for result in mistake_results if result.is_silent
        )
        share = f" ({sum(silent.values()) / len(mistake_results):.0%})" if mistake_results else ""
        alarms = sum(result.is_false_alarm for result in exercise_results)
        table.add_row(
            name,
            str(len(mistake_results)),
            f"{sum(silent.values())}{share}",
            str(len(set(silent) - caught)),
            str(alarms),
        )
    return table
