"""What the visible checks of a notebook say about code: the source's cells, run as a student runs them."""

import contextlib
import io
import linecache
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache, partial
from types import CodeType
from typing import Any, NamedTuple

import matplotlib
from rich.table import Table

from autograder.authoring.rows import Row
from autograder.authoring.toolbox_cell import CELL as TOOLBOX
from autograder.engine.assignment import CHECK, Assignment, read_cells
from autograder.toolbox.exercises import Result
from autograder.toolbox.telling import in_words


class VisibleChecks:
    """The code cells of an assignment's source, with other solutions put in.

    `run` executes, in order, what the release runs before a check, and the check itself; demos are
    left out, and so are the pictures of a failure.
    """

    def __init__(self, assignment: Assignment):
        matplotlib.use("agg")
        self.assignment = assignment
        self.solutions = dict(assignment.solutions)
        self.cells = {
            cell.id: cell.source
            for cell in read_cells(assignment.source)
            if cell.kind == "code" and not cell.demo
        }

    @property
    def exercises(self) -> list[str]:
        """The exercises that have a visible check."""
        return [id.removeprefix(CHECK) for id in self.cells if id.startswith(CHECK)]

    def run(self, cells: Mapping[str, str], *exercises: str, seed: int = 1) -> dict[str, Result]:
        """Return the results of these exercises' checks, by exercise, with `cells` as their solutions.

        What a cell raises is the result of the checks that did not come to an end.
        """
        space: dict[str, Any] = {"__name__": "__main__"}
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                self._run_in(space, cells, exercises, seed)
            except Exception as error:
                raised = Result("failing", (), "", in_words(error))
                return {name: space.get("RESULTS", {}).get(name, raised) for name in exercises}
        done = Result("done")  # a check of plain assertions leaves no result
        return {name: space["RESULTS"].get(name, done) for name in exercises}

    def _run_in(
        self, space: dict[str, Any], cells: Mapping[str, str], exercises: tuple[str, ...], seed: int
    ) -> None:
        wanted = {f"{CHECK}{name}" for name in exercises}
        for id, source in self.cells.items():
            if not id.startswith(CHECK) or id in wanted:
                exec(_compiled(id, cells.get(id, self.solutions.get(id, source))), space)
            if id == TOOLBOX:
                space["check"] = partial(space["check"], seed=seed)
                space["beside_target"] = lambda *_: None


class Tried(NamedTuple):
    """What the visible check of one exercise said about one row."""

    row: Row
    exercise: str
    result: Result

    @property
    def is_silent(self) -> bool:
        """Whether the check passes although the row has a mistake in this exercise."""
        return not self.row.is_right and self.result.state == "done"

    @property
    def is_false_alarm(self) -> bool:
        """Whether the check complains although nothing is wrong."""
        return self.row.is_right and self.result.state != "done"


def try_rows(checks: VisibleChecks, rows: Iterable[Row], only: str = "") -> Iterator[Tried]:
    """Yield what the checks say: of a mistake its exercise's, of a right row those of all exercises.

    Rows with mistakes in several exercises are left out; with `only`, other exercises are, too.
    """
    for row in rows:
        if len(row.exercises) > 1:
            continue
        asked = [name for name in checks.exercises if row.is_right or name in row.exercises]
        for name in [name for name in asked if only in ("", name)]:
            yield Tried(row, name, checks.run(row.cells, name)[name])


def table_of(tried: list[Tried]) -> Table:
    """Return how many ways of single mistakes each check passes over, and its false alarms."""
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


@lru_cache(maxsize=1000)
def _compiled(id: str, source: str) -> CodeType:
    """A cell as code whose lines tracebacks can show, without notebook magics."""
    text = "\n".join(
        "pass" if line.lstrip().startswith(("%", "!")) else line for line in source.splitlines()
    )
    file = f"<cell {id}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    return compile(text, file, "exec")
