"""Second marks: write and read the table that a tutor fills in, and pair its marks with those in the
gradebook. `agreement.py` says how well they agree.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from autograder.desk.marking.answers import WrittenAnswer
from autograder.engine import AutograderError, files, plural, points_text, texts

GIVEN = "assignment", "student", "exercise", "max_points", "answer"  # which answer it is
FILLED_IN = "points", "comment"
HALF = 0.5  # points that may lie between two marks that agree

Row = Mapping[str, str]  # the cells, by column
NumberedRow = tuple[int, dict[str, str]]  # the number of its line in the file, and the row


class MarkPair(NamedTuple):
    """The first and the second mark for one answer of a student, in points; `comments` has the
    comments of both persons in one text.
    """

    exercise: str
    student: str
    first: float
    second: float
    comments: str


@dataclass
class MarkComparison:
    """The answers of one assignment that have two marks (`pairs`), sentences on how many could not
    be compared and why (`left_out`), and a sentence on each row of a table whose mark is no
    possible number of points (`damaged`).
    """

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
    """Write a table with a row for each answer, for a tutor to fill in. Rows that are filled in
    already are kept, with columns that the tutor added; return their number.

    Raises `AutograderError` if the file at `path` exists and is no table of second marks, or cannot be
    read.
    """
    try:
        table, rows = read_second(path)
    except files.NoTable:
        table, rows = files.Table([[*GIVEN, *FILLED_IN]], newline="\r\n"), []
    except files.TableError as error:
        # nobody named it
        raise AutograderError(
            f"{error} Or move it away, and run this again.", texts.FAILED
        ) from error
    names = [name.strip().lower() for name in table.header]
    own = set(names).difference(GIVEN)
    kept = [row for _, row in rows if any(row[name].strip() for name in own)]
    there = {_key(row) for row in kept}
    fresh = [dict(zip(GIVEN, _given(assignment_id, one), strict=True)) for one in answers]
    wanted = [*kept, *(row for row in fresh if _key(row) not in there)]
    table.rows[1:] = [
        [texts.escape_formulas(row.get(name, "")) for name in names] for row in wanted
    ]
    with files.replacing_bytes(path) as file:
        file.write(table.to_bytes())
    return len(kept)


def read_second(path: Path) -> tuple[files.Table, list[NumberedRow]]:
    """Read a table of second marks; return it, and each of its rows with the number of its line and
    its cells by column name. Raises `TableError` if the file cannot be read, or lacks a column of
    such a table.
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
    """Compare a tutor's second marks with the marks in the gradebook; return the pairs, and
    sentences on what could not be compared.

    `rows`: of the tables, as `read_second` returns them; rows of other assignments are ignored.
    `answers`: the answers with their first marks. A row is left out if it has no mark, if the
    answer has changed since, or if the answer has no first mark.
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
                f"Line {number} ({answer.student}, {answer.exercise}): {row['points'].strip()!r:.40} is "
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
