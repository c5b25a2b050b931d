"""How well mistakes are named, measured as for any classifier: precision and recall."""

from collections.abc import Iterable
from dataclasses import dataclass

from rich.table import Table

from autograder.authoring.rows import Row
from autograder.engine.graded import Graded


@dataclass
class Naming:
    """Of the submissions of one kind: mistakes made, named, and named though nobody made them."""

    kind: str
    submissions: int = 0
    made: int = 0  # that the catalogue has
    named: int = 0  # of those that were made
    false: int = 0

    @property
    def precision(self) -> float:
        """The share of names that are true."""
        names = self.named + self.false
        return self.named / names if names else 1.0

    @property
    def recall(self) -> float:
        """The share of mistakes of the catalogue that are named."""
        return self.named / self.made if self.made else 1.0

    def add(self, row: Row, graded: Graded) -> None:
        """Count what was made and what was named in one submission."""
        made = {(mistake.exercise, mistake.id) for mistake in row.mistakes}
        named = {(run.exercise, mistake.id) for run in graded.runs for mistake in run.mistakes}
        self.submissions += 1
        self.made += len(made)
        self.named += len(made & named)
        self.false += len(named - made)


def naming(results: Iterable[tuple[Row, Graded]]) -> list[Naming]:
    """Count by kind of submission, in the order in which the kinds come."""
    counted: dict[str, Naming] = {}
    for row, graded in results:
        counted.setdefault(row.kind, Naming(row.kind)).add(row, graded)
    return list(counted.values())


def naming_table(counted: Iterable[Naming]) -> Table:
    """Return the table that `make matrix` prints."""
    columns = "submissions", "how many", "mistakes", "named", "false names", "precision", "recall"
    table = Table(*columns, title="names of mistakes", title_justify="left", box=None)
    for one in counted:
        numbers = one.submissions, one.made, one.named, one.false
        table.add_row(one.kind, *map(str, numbers), f"{one.precision:.3f}", f"{one.recall:.3f}")
    return table
