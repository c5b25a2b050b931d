"""Second marks: write and read the table that a tutor fills in, and compare it with the marks in
the gradebook.
"""

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
    """The content of a table of second marks, including columns that a tutor added."""

    names: Sequence[str]
    rows: list[Row]
    delimiter: str


class MarkPair(NamedTuple):
    """The first and the second mark for one answer, with the comments on it."""

    exercise: str
    student: str
    first: float
    second: float
    comments: str


@dataclass
class MarkComparison:
    """The pairs of marks in one assignment, and sentences on what could not be compared."""

    assignment: str
    pairs: list[MarkPair] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)  # rows that say something which is no mark

    def disagreements(self) -> list[MarkPair]:
        """Return the pairs whose marks are more than half a point apart, those furthest apart
        first.
        """
        apart = [one for one in self.pairs if abs(one.second - one.first) > HALF]
        return sorted(apart, key=lambda one: (-abs(one.second - one.first), one[:2]))


def write_second(path: Path, assignment_id: str, answers: Iterable[WrittenAnswer]) -> int:
    """Write a table with a row for each answer, for a tutor to fill in; return how many filled-in
    rows it already had, which are kept.

    Raises `CommandError` if the file at `path` exists and is no such table.
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
    """Read a table of second marks. Raises `TableError` if the file cannot be read or is no such
    table.
    """
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
    """Compare a tutor's second marks with the marks in the gradebook.

    `rows`: the rows of the tables, each with its number for messages; rows of other assignments are
    ignored. `answers`: the answers with their first marks.
    """
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
    """Return the mark in a cell, with decimal point or comma; None if it is no number from 0 to
    `most`.
    """
    try:
        number = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    return number if 0 <= number <= most else None


def about_compared(compared: MarkComparison) -> Iterator[str]:
    """Yield sentences on how many answers have two marks, what could not be compared, and each pair
    that is more than half a point apart.
    """
    yield f"{compared.assignment}: {plural(len(compared.pairs), 'answer has', 'answers have')} two marks."
    yield from (*compared.left_out, *compared.damaged)
    apart = compared.disagreements()
    if apart:
        yield f"More than half a point apart: {len(apart)}."
    for pair in apart:
        said = f" ({pair.comments})" if pair.comments else ""
        yield f"{pair.student}, {pair.exercise}: {pair.first:g} and {pair.second:g}{said}"


def agreement_table(compared: MarkComparison) -> Table:
    """Return a table for the terminal with a row for each exercise: how well its first and second
    marks agree.
    """
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
    """Return how well two persons agree, as texts: the number of pairs, the mean of second minus
    first mark, how many pairs are within half a point, and Cohen's weighted kappa with its 95 %
    interval.

    `pairs` has first and second mark. With fewer than 20 pairs, "too few" stands for kappa. The
    interval is the percentile bootstrap's: B. Efron and R. Tibshirani, An Introduction to the
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
    """Return Cohen's kappa with quadratic weights, for marks of the shape (..., pairs, 2); NaN if
    it is undefined.

    1 means full agreement; 0, the agreement by chance of two persons who give each mark as often as
    these. J. Cohen, Psychological Bulletin 70 (1968), kappa_w = 1 - sum(v p_o) / sum(v p_c), with
    the points themselves as categories.
    """
    first, second = marks[..., 0], marks[..., 1]
    apart = (second.mean(-1) - first.mean(-1)) ** 2
    by_chance = first.var(-1) + second.var(-1) + apart
    by_chance = np.where(by_chance < ALMOST_NOTHING, np.nan, by_chance)
    return 1 - ((second - first) ** 2).mean(-1) / by_chance
