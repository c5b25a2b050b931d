"""Second marks: the table that a tutor fills in, and how far it agrees with the gradebook's marks."""

import csv
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.box import SIMPLE_HEAD
from rich.table import Table

from autograder.engine.verdict.verdict import points_text
from autograder.files.csv_text import TableError, read_table
from autograder.files.writing import replacing
from autograder.staff.marking.answers import WrittenAnswer
from autograder.text.errors import FAILED, CommandError
from autograder.text.printable import escape_formulas, unescape_formulas
from autograder.text.wording import plural

GIVEN = "assignment", "student", "exercise", "max_points", "answer"  # which answer it is
FILLED_IN = "points", "comment"
ENOUGH = 20  # pairs, below which a kappa says nothing
HALF = 0.5  # points that may lie between two marks that agree
RESAMPLES = 1_000
ALMOST_NOTHING = 1e-9  # square points: all marks are one number
SEED = 1  # of the resampling: the same marks have the same interval

Row = Mapping[str, str]


class SecondMarks(NamedTuple):
    """A table of second marks, with whatever columns a tutor has added."""

    names: Sequence[str]
    rows: list[Row]
    delimiter: str


class MarkPair(NamedTuple):
    """Two marks for one answer."""

    exercise: str
    student: str
    first: float
    second: float
    comments: str


@dataclass
class MarkComparison:
    """All pairs of one assignment, and what could not be compared, in sentences."""

    assignment: str
    pairs: list[MarkPair] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)  # rows that say something which is no mark

    def disagreements(self) -> list[MarkPair]:
        """Return the pairs that are more than half a point apart, the largest difference first."""
        apart = [one for one in self.pairs if abs(one.second - one.first) > HALF]
        return sorted(apart, key=lambda one: (-abs(one.second - one.first), one[:2]))


def write_second(path: Path, assignment_id: str, answers: Iterable[WrittenAnswer]) -> int:
    """Write a row for each answer, to be filled in; return how many filled rows were there and stay.

    Raises `CommandError` where there is a file that cannot be read, `OSError`.
    """
    try:
        table = read_second(path) if path.exists() else SecondMarks((*GIVEN, *FILLED_IN), [], ",")
    except TableError as error:
        # nobody named it
        raise CommandError(f"{error} Or move it away, and run this again.", FAILED) from error
    own = [name for name in table.names if name not in GIVEN]
    kept = [row for row in table.rows if any(row[name].strip() for name in own)]
    there = {_key(row) for row in kept}
    fresh = [
        dict.fromkeys(own, "") | dict(zip(GIVEN, _given(assignment_id, one), strict=True))
        for one in answers
    ]
    with replacing(path) as file:
        writer = csv.DictWriter(file, table.names, delimiter=table.delimiter, lineterminator="\r\n")
        writer.writeheader()
        for row in [*kept, *(row for row in fresh if _key(row) not in there)]:
            writer.writerow({name: escape_formulas(value) for name, value in row.items()})
    return len(kept)


def read_second(path: Path) -> SecondMarks:
    """Return a table of second marks. Raises `TableError`."""
    table = read_table(path)
    if missing := [name for name in (*GIVEN, *FILLED_IN) if name not in table.header]:
        raise TableError(
            f"`{path}` is no table of second marks: it has no column `{missing[0]}`. Take the one "
            "that `marking list --second` writes."
        )
    names = [name for name in table.header if name]
    rows = [
        {
            name: unescape_formulas(cell)
            for name, cell in zip(table.header, row, strict=False)
            if name
        }
        for row in table.rows[1:]
    ]
    return SecondMarks(names, [dict.fromkeys(names, "") | row for row in rows], table.delimiter)


def _given(assignment_id: str, answer: WrittenAnswer) -> tuple[str, ...]:
    return (
        assignment_id,
        answer.student,
        answer.exercise,
        points_text(answer.cell.max_points),
        answer.version,
    )


def _key(row: Row) -> tuple[str, ...]:
    return tuple(row[name] for name in GIVEN)


def compare_marks(
    assignment_id: str, rows: Iterable[tuple[int, Row]], answers: Iterable[WrittenAnswer]
) -> MarkComparison:
    """Compare the numbered rows that name this assignment with the marks that the gradebook has."""
    known = {one.name: one for one in answers}
    compared, reasons = MarkComparison(assignment_id), Counter[str]()
    for number, row in (one for one in rows if one[1]["assignment"] == assignment_id):
        answer = known.get((row["student"], row["exercise"]))
        if not row["points"].strip():
            reasons["without a second mark"] += 1
        elif answer is None:
            reasons["of students or exercises without such an answer in the gradebook"] += 1
        elif row["answer"] != answer.version:
            reasons[
                "left out, because the answer has changed since it was marked a second time"
            ] += 1
        elif not answer.is_marked:
            reasons["not marked yet by the first person"] += 1
        elif (second := _points(row["points"], answer.cell.max_points)) is None:
            compared.damaged.append(
                f"Row {number} ({answer.student}, {answer.exercise}): {row['points'].strip()!r:.40} is "
                f"no number from 0 to {points_text(answer.cell.max_points)}."
            )
        else:
            comments = "; ".join(filter(None, (answer.comment, row["comment"])))
            first = answer.cell.by_hand or 0.0
            compared.pairs.append(
                MarkPair(answer.exercise, answer.student, first, second, comments)
            )
    compared.left_out = [f"Not compared: {count} {why}." for why, count in sorted(reasons.items())]
    return compared


def _points(text: str, most: float) -> float | None:
    """The number in a cell, if it is a mark; a comma may stand before its fraction."""
    try:
        number = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    return number if 0 <= number <= most else None


def about_compared(compared: MarkComparison) -> Iterator[str]:
    """Yield sentences on what was compared, what could not be, and where two marks differ."""
    yield f"{compared.assignment}: {plural(len(compared.pairs), 'answer has', 'answers have')} two marks."
    yield from (*compared.left_out, *compared.damaged)
    apart = compared.disagreements()
    if apart:
        yield f"More than half a point apart: {len(apart)}."
    for pair in apart:
        said = f" ({pair.comments})" if pair.comments else ""
        yield f"{pair.student}, {pair.exercise}: {pair.first:g} and {pair.second:g}{said}"


def agreement_table(compared: MarkComparison) -> Table:
    """Return a row an exercise: how far its first and second marks agree."""
    marks: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for pair in compared.pairs:
        marks[pair.exercise].append((pair.first, pair.second))
    table = Table(title=compared.assignment, title_justify="left", box=SIMPLE_HEAD)
    table.add_column("exercise")
    for heading in ("pairs", "second minus first", "within 0.5", "kappa"):
        table.add_column(heading, justify="right")
    for exercise, pairs in sorted(marks.items()):
        table.add_row(exercise, *agreement(pairs))
    return table


def agreement(pairs: Sequence[tuple[float, float]]) -> tuple[str, str, str, str]:
    """Return how far two persons agree: how many pairs of marks, the mean of second minus first, how
    many are within half a point, and kappa with its 95 % interval where there are enough pairs.

    The interval is the percentile bootstrap's: B. Efron and R. Tibshirani, An Introduction to the
    Bootstrap (1993), equation 13.3.
    """
    marks, count, said = np.array(pairs), len(pairs), "too few"
    differences = marks[:, 1] - marks[:, 0]
    within = np.count_nonzero(np.abs(differences) <= HALF)
    if count >= ENOUGH and not np.isnan(kappa := weighted_kappa(marks)):
        drawn = np.random.default_rng(SEED).integers(count, size=(RESAMPLES, count))
        low, high = np.nanquantile(weighted_kappa(marks[drawn]), (0.025, 0.975))
        said = f"{kappa:.2f} ({low:.2f} to {high:.2f})"
    return str(count), f"{differences.mean():+.2f}", f"{within} of {count}", said


def weighted_kappa(marks: NDArray) -> NDArray:
    """Return Cohen's kappa of marks (..., pairs, 2), in which a difference weighs as its square; not a
    number where it is undefined.

    1 is agreement, 0 is what two persons reach who give the same marks as often, but at random:
    J. Cohen, Psychological Bulletin 70 (1968), kappa_w = 1 - sum(v p_o) / sum(v p_c), for which the
    points themselves are the categories.
    """
    first, second = marks[..., 0], marks[..., 1]
    apart = (second.mean(-1) - first.mean(-1)) ** 2
    by_chance = first.var(-1) + second.var(-1) + apart
    by_chance = np.where(by_chance < ALMOST_NOTHING, np.nan, by_chance)
    return 1 - ((second - first) ** 2).mean(-1) / by_chance
