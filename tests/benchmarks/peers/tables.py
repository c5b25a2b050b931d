"""The tables: on the terminal, as markdown, as JSON."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.table import Table as RichTable

from autograder.engine.files import replacing
from tests.benchmarks.peers.bench import Row
from tests.benchmarks.peers.contender import Full

NONE = "·"


@dataclass(frozen=True)
class Table:
    """Words in rows; the first column is text, the others are figures."""

    title: str
    headings: list[str]
    rows: list[list[str]]

    def as_rich(self) -> RichTable:
        table = RichTable(title=self.title, title_justify="left")
        for number, heading in enumerate(self.headings):
            table.add_column(heading, justify="right" if number else "left", no_wrap=not number)
        for row in self.rows:
            table.add_row(*row)
        return table

    def as_markdown(self) -> str:
        rule = ["---", *["---:"] * (len(self.headings) - 1)]
        lines = [f"| {' | '.join(words)} |" for words in (self.headings, rule, *self.rows)]
        return "\n".join([f"**{self.title}**", "", *lines])


def compare(rows: list[Row], ours: str) -> Table:
    """Each contender, and how much a submission costs with it, if it costs 1 with ours.

    Ours is the largest class: in a small one, the start weighs more, with everybody.
    """
    own = [row for row in rows if row.who == ours]
    best = max(own, key=lambda row: row.submissions, default=None)
    where = f"ours of {best.submissions} = 1" if best else "ours = 1"
    headings = ["who", "submissions", "wall s", "CPU s", "wall ms each", "CPU ms each"]
    headings += [f"wall, {where}", f"CPU, {where}", "peak MB"]
    return Table("one class, graded", headings, [_compared(row, best) for row in rows])


def _compared(row: Row, best: Row | None) -> list[str]:
    ratios = [NONE, NONE]
    if best:
        ratios = [f"{_each(row, kind) / _each(best, kind):.2f}" for kind in ("wall", "cpu")]
    return [row.who, str(row.submissions), *_times(row), *ratios, _megabytes(row)]


def grow(rows: list[Row]) -> Table:
    """Ours by size of the class, by workers and where they are; how time grows, 1 = linearly.

    Growth is of the time for each submission, against the smallest class with the same workers.
    """
    headings = ["where", "workers", "submissions", "wall s", "CPU s", "wall ms each"]
    headings += ["CPU ms each", "growth", "one worker / this, wall", "peak MB"]
    smallest: dict[tuple[str, int], Row] = {}
    alone = {(row.who, row.submissions): row for row in rows if row.jobs == 1}
    shown = []
    for row in rows:
        first = smallest.setdefault((row.who, row.jobs), row)
        single = alone.get((row.who, row.submissions))
        growth = f"{_each(row, 'wall') / _each(first, 'wall'):.2f}"
        gain = f"{single.wall / row.wall:.2f}" if single else NONE
        cells = [row.who, str(row.jobs), str(row.submissions), *_times(row)]
        shown.append([*cells, growth, gain, _megabytes(row)])
    return Table("ours, as the class grows", headings, shown)


def agree(full: dict[str, Full], ours: str) -> Table:
    """How often an exercise has full marks with a peer and with ours, for information only."""
    headings = ["peer", "exercises", "the same", "full with the peer only", "full with ours only"]
    rows = []
    for who, marks in full.items():
        common = [key for key in marks if key in full.get(ours, {})] if who != ours else []
        if common:
            pairs = [(marks[key], full[ours][key]) for key in common]
            same = sum(theirs == own for theirs, own in pairs) / len(pairs)
            kinds = [str(pairs.count(kind)) for kind in ((True, False), (False, True))]
            rows.append([who, str(len(pairs)), f"{same:.1%}", *kinds])
    return Table("full marks for an exercise, or not", headings, rows)


def write(into: Path, tables: list[Table], rows: list[Row], notes: list[str], about: dict) -> None:
    """Write peers.md and peers.json."""
    with replacing(into / "peers.md") as file:
        parts = [*(table.as_markdown() for table in tables), "\n".join(f"- {n}" for n in notes)]
        file.write("\n\n".join(parts) + "\n")
    with replacing(into / "peers.json") as file:
        figures = [asdict(row) for row in rows]
        content = {"about": about, "rows": figures, "tables": [asdict(table) for table in tables]}
        json.dump(content, file, indent=1)


def _each(row: Row, kind: str) -> float:
    return getattr(row, kind) / row.submissions


def _times(row: Row) -> list[str]:
    each = [f"{1e3 * _each(row, kind):.0f}" for kind in ("wall", "cpu")]
    return [f"{row.wall:.1f}", f"{row.cpu:.1f}", *each]


def _megabytes(row: Row) -> str:
    return f"{row.memory / 1e6:.0f}"
