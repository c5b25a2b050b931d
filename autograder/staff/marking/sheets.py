"""The tables of a tutor: what to mark, and what to mark a second time without seeing the first mark."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from autograder.engine.verdict.verdict import points_text
from autograder.files.csv_text import csv_text, decoded, delimiter_of
from autograder.files.reading import NotRegular, TooLarge, read_named
from autograder.files.writing import replacing
from autograder.staff.marking.answers import WrittenAnswer
from autograder.text.errors import FAILED, CommandError
from autograder.text.printable import escape_formulas, unescape_formulas

MAX_BYTES = 16 << 20  # of a table that a tutor filled in
LIST = "student", "exercise", "max_points", "state", "points_before", "equal_to", "formgrader"
SECOND = "assignment", "student", "exercise", "max_points", "answer", "points", "comment"
KEY = 5  # of these columns say which answer it is; a tutor fills in the others


class SheetError(CommandError):
    """This file is no table of second marks; the message says why and what to do."""


@dataclass(frozen=True)
class SecondMark:
    """A row of the table of second marks, as the tutor left it."""

    assignment: str
    student: str
    exercise: str
    answer: str  # the beginning of the digest of the answer that was shown
    points: str
    comment: str
    row: int  # where it stands in the file


@dataclass
class _Table:
    """A table of second marks with whatever columns a tutor has added."""

    names: Sequence[str] = SECOND
    rows: list[dict[str, str]] = field(default_factory=list)
    delimiter: str = ","


def write_list(path: Path, groups: Iterable[Sequence[WrittenAnswer]], wanted: set[str]) -> None:
    """Write a row for each answer whose grade is `wanted`, equal ones together. Raises `OSError`."""
    rows: list[Sequence[str | float | None]] = []
    for group in groups:
        for one in group:
            if one.mark.cell.grade_id in wanted:
                others = ", ".join(other.student for other in group if other is not one)
                rows.append(
                    [
                        one.student,
                        one.exercise,
                        one.mark.cell.max_points,
                        state_of(one),
                        one.mark.cell.by_hand,
                        others,
                        one.address,
                    ]
                )
    with replacing(path) as file:
        file.write(csv_text([LIST, *rows]))


def write_second(path: Path, assignment_id: str, answers: Iterable[WrittenAnswer]) -> int:
    """Write a row for each answer, to be filled in; return how many filled rows were there and stay.

    Raises `SheetError` where there is a file that cannot be read, `OSError`.
    """
    try:
        table = _read(path) if path.exists() else _Table()
    except SheetError as error:
        refused = SheetError(f"{error} Or move it away, and run this again.")
        refused.status = FAILED  # nobody named it
        raise refused from error
    given = set(SECOND[:KEY])
    kept = [row for row in table.rows if any(row[n].strip() for n in table.names if n not in given)]
    there = {_key(row) for row in kept}
    fresh = [_row(table.names, assignment_id, one) for one in answers]
    with replacing(path) as file:
        writer = csv.DictWriter(file, table.names, delimiter=table.delimiter, lineterminator="\r\n")
        writer.writeheader()
        for row in [*kept, *(row for row in fresh if _key(row) not in there)]:
            writer.writerow({name: escape_formulas(value) for name, value in row.items()})
    return len(kept)


def read_second(path: Path) -> list[SecondMark]:
    """Return the rows of a table of second marks. Raises `SheetError`, `OSError`."""
    return [
        SecondMark(
            row["assignment"],
            row["student"],
            row["exercise"],
            row["answer"],
            row["points"],
            row["comment"],
            number,
        )
        for number, row in enumerate(_read(path).rows, start=2)
    ]


def _row(names: Sequence[str], assignment_id: str, answer: WrittenAnswer) -> dict[str, str]:
    """A row that is to be filled in."""
    most = points_text(answer.mark.cell.max_points)
    given = (assignment_id, answer.student, answer.exercise, most, version_of(answer))
    return dict.fromkeys(names, "") | dict(zip(SECOND, given, strict=False))


def _key(row: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(row[name] for name in SECOND[:KEY])


def _read(path: Path) -> _Table:
    try:
        text = decoded(read_named(path, MAX_BYTES))
    except (TooLarge, NotRegular, UnicodeDecodeError) as error:
        raise SheetError(f"`{path}` cannot be read: save it as CSV in UTF-8.") from error
    delimiter = delimiter_of(text)
    try:
        table = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, restval="")
        names = [name for name in table.fieldnames or () if name]
        rows = [{name: unescape_formulas(row[name]) for name in names} for row in table]
    except csv.Error as error:
        raise SheetError(f"`{path}` is no CSV file ({error}).") from error
    if missing := [name for name in SECOND if name not in names]:
        raise SheetError(
            f"`{path}` is no table of second marks: it has no column `{missing[0]}`. Take the one "
            "that `marking list --second` writes."
        )
    return _Table(names, rows, delimiter)


def state_of(answer: WrittenAnswer) -> str:
    """Return what is to be done with an answer."""
    if not answer.mark.cell.is_open:
        return "marked"
    if not answer.mark.cell.is_written:
        return "look again: it was changed, or its automatic points were"
    return "open" if answer.mark.cell.by_hand is None else "changed since it was marked"


def version_of(answer: WrittenAnswer) -> str:
    """Return what tells an answer from a later one of the same student."""
    return f"v{answer.digest[:10]}"  # no spreadsheet takes it for a number
