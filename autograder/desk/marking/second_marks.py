"""Second marks: write and read the table that a tutor fills in, and pair its marks with the
gradebook's. `agreement.py` measures the agreement.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from autograder.desk.marking.answers import WrittenAnswer
from autograder.engine import AutograderError, files, plural, points_text, texts

GIVEN = "assignment", "student", "exercise", "max_points", "answer"  # columns that identify it
FILLED_IN = "points", "comment"
HALF = 0.5  # points that may lie between two marks that agree

Row = Mapping[str, str]  # the cells, by column
NumberedRow = tuple[int, dict[str, str]]  # the number of its line in the file, and the row


class MarkPair(NamedTuple):
    """The first and the second mark for an answer, in points."""

    exercise: str
    student: str
    first: float
    second: float
    comments: str  # of both markers


@dataclass
class MarkComparison:
    """First and second marks of an assignment, with sentences on rows that were not compared."""

    assignment: str
    pairs: list[MarkPair] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)  # a sentence for each reason, with a count
    damaged: list[str] = field(default_factory=list)  # a sentence for each row with invalid points

    def disagreements(self) -> list[MarkPair]:
        """Return the pairs with marks more than half a point apart, largest difference first."""
        apart = [pair for pair in self.pairs if abs(pair.second - pair.first) > HALF]
        return sorted(apart, key=lambda pair: (-abs(pair.second - pair.first), pair[:2]))


def write_second(path: Path, assignment_id: str, answers: Iterable[WrittenAnswer]) -> int:
    """Write a table with a row for each answer, for a tutor to fill in. Return the number of rows
    that were filled in before. They are kept, with any columns that the tutor added.

    Raises `AutograderError` if the file at `path` cannot be read or is not such a table.
    """
    try:
        table, rows = read_second(path)
    except files.NoTable:
        table, rows = files.Table([[*GIVEN, *FILLED_IN]], newline="\r\n"), []
    except files.TableError as error:
        # the user did not name this file, so the message offers to move it away
        raise AutograderError(
            f"{error} Or move it away, and run this again.", texts.FAILED
        ) from error
    names = [name.strip().lower() for name in table.header]
    tutor_columns = set(names).difference(GIVEN)
    filled_rows = [row for _, row in rows if any(row[name].strip() for name in tutor_columns)]
    filled_keys = {_key(row) for row in filled_rows}
    new_rows = [dict(zip(GIVEN, _given(assignment_id, answer), strict=True)) for answer in answers]
    all_rows = [*filled_rows, *(row for row in new_rows if _key(row) not in filled_keys)]
    table.rows[1:] = [
        [texts.escape_formulas(row.get(name, "")) for name in names] for row in all_rows
    ]
    with files.replacing_bytes(path) as file:
        file.write(table.to_bytes())
    return len(filled_rows)


def read_second(path: Path) -> tuple[files.Table, list[NumberedRow]]:
    """Read a table of second marks. Return it and its rows: line number, and cells by column.
    Raises `TableError` if the file cannot be read or lacks a column.
    """
    table = files.read_table(path)
    return table, table.records(*GIVEN, *FILLED_IN)


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
    assignment_id: str, rows: Iterable[NumberedRow], answers: Iterable[WrittenAnswer]
) -> MarkComparison:
    """Compare a tutor's second marks with the marks in the gradebook.

    `rows`: as `read_second` returns them. Rows of other assignments are ignored. `answers`: with
    their first marks. Rows without a mark, with an outdated answer, or without a first mark are
    left out.
    """
    answers_by_name = {answer.name: answer for answer in answers}
    compared, reasons = MarkComparison(assignment_id), Counter[str]()
    for number, row in (
        numbered for numbered in rows if numbered[1]["assignment"] == assignment_id
    ):
        answer = answers_by_name.get((row["student"], row["exercise"]))
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
                f"Line {number} ({answer.student}, {answer.exercise}): {row['points'].strip()!r:.40} is "
                f"no number from 0 to {points_text(answer.cell.max_points)}."
            )
        else:
            comments = "; ".join(filter(None, (answer.comment, row["comment"])))
            first = answer.cell.by_hand or 0.0
            compared.pairs.append(
                MarkPair(answer.exercise, answer.student, first, second, comments)
            )
    compared.left_out = [
        f"Not compared: {count} {reason}." for reason, count in sorted(reasons.items())
    ]
    return compared


def _points(text: str, max_points: float) -> float | None:
    """Return the mark in a cell, with decimal point or comma, or None if it is out of range."""
    try:
        number = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    return number if 0 <= number <= max_points else None


def about_compared(compared: MarkComparison) -> Iterator[str]:
    """Yield sentences on the number of pairs, the rows left out, and each disagreement."""
    yield f"{compared.assignment}: {plural(len(compared.pairs), 'answer has', 'answers have')} two marks."
    yield from (*compared.left_out, *compared.damaged)
    apart = compared.disagreements()
    if apart:
        yield f"More than half a point apart: {len(apart)}."
    for pair in apart:
        comments = f" ({pair.comments})" if pair.comments else ""
        yield f"{pair.student}, {pair.exercise}: {pair.first:g} and {pair.second:g}{comments}"
