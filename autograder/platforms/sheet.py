"""Read a table that was downloaded from a platform, match its rows with students, and fill in their
grades.

A row is matched by the most reliable kind of text that is unambiguous. All other cells keep their
content.
"""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.engine import AutograderError, Pattern, files, texts
from autograder.gradebook.grades import Grade, decimal_text

EMPTY_CELLS = "", "-"  # what platforms write where there is no grade
LAST_NUMBER = Pattern(r"(\d+)\s*$")
DECIMAL_COMMA = Pattern(r"\s*\d+,\d+\s*")
ROUNDING = 0.005 + 1e-9  # platforms keep five decimals and show two


@dataclass(frozen=True)
class MatchKey:
    """One kind of text by which a row is matched with a student, such as an e-mail address.

    `of_grade` and `of_row` return the texts of a student's grade and of a row; the two match if
    they have one in common.
    """

    of_grade: Callable[[Grade], Iterable[str]]
    of_row: Callable[[Any], Iterable[str]]
    sure: bool = True  # what people choose to be called is not


@dataclass
class FilledSheet:
    """A downloaded table with grades filled in, and what to report about it."""

    sheet: files.Table
    grades: dict[int, Grade] = field(default_factory=dict)  # by index of the row that is theirs
    missing: list[str] = field(default_factory=list)  # students whom no row is of
    unsure: list[str] = field(default_factory=list)  # students who were found by a guess
    doubtful: list[str] = field(default_factory=list)  # students whom several rows may be of
    commas: bool = False  # in its numbers
    entered: int = 0  # grades in it
    replaced: int = 0  # of which the sheet had another one
    kept: list[str] = field(default_factory=list)  # whose cell stays as it was, and what it says
    remarks: list[str] = field(default_factory=list)

    def enter(self, grade: Grade, row: list[str], column: int, locked: str = "") -> bool:
        """Write a grade into the row's cell in this column, unless the cell has the same grade
        already, in the platform's two decimals. Return whether the cell was changed.

        The grade counts as entered in both cases, and as replaced if the cell held another grade.
        `locked`: why the cell must not be changed, "" if it may. A cell that is locked, or whose
        student has no grade, is left unchanged; it is noted in `kept` if it is locked or not empty.
        """
        before, number = row[column].strip(), number_in(row[column])
        if locked or (grade.total is None and before not in EMPTY_CELLS):
            self.kept.append(f"{grade.student} ({locked or before})")
        if locked or grade.total is None:
            return False
        self.entered += 1
        if number is not None and abs(number - grade.total) <= ROUNDING:
            return False
        self.replaced += before not in EMPTY_CELLS
        row[column] = decimal_text(grade.total, self.commas)
        return True

    def describe(self) -> list[str]:
        """Return sentences on the cells that were filled in, replaced, or left unchanged, and on
        students without a row.
        """
        replaced = f"{self.replaced} had another grade in the sheet, which is replaced."
        return [
            f"{self.entered} of them in the sheet.",
            *texts.sentence_on(self.missing, "Not in the sheet: {}."),
            *texts.sentence_on(
                self.unsure,
                "Found by a name or the part before an @ only, so please look: {}.",
            ),
            *texts.sentence_on(
                self.doubtful,
                "Not filled in, because several rows or students may be meant: {}.",
            ),
            *texts.sentence_on(self.kept, "Left as the sheet has it: {}."),
            *texts.sentences_where({replaced: self.replaced}),
            *self.remarks,
        ]


def number_in(cell: str) -> float | None:
    """Return the number in a cell, with decimal point or comma; None if the cell is no number."""
    try:
        return float(cell.strip().replace(",", "."))
    except ValueError:
        return None


def read_sheet(path: Path) -> files.Table:
    """Read a downloaded table. Raises `TableError` if it has no rows, or if a row is not as long as
    the header.
    """
    table = files.read_table(path)
    if len(table.rows) < 2:
        raise files.TableError(
            f"`{path}` has no rows: nobody is in it. Download it as somebody who sees the students."
        )
    for line, row in zip(table.lines, table.rows, strict=True):
        if len(row) != len(table.header):
            raise files.TableError(
                f"`{path}`, line {line}: there are {len(row)} cells, and {len(table.header)} in the "
                "header; download it again."
            )
    return table


def has_commas(table: files.Table, *columns: int | None) -> bool:
    """Whether a cell in one of these columns has a number with a decimal comma. `columns` are
    indexes; None is ignored.
    """
    places = [column for column in columns if column is not None]
    return any(DECIMAL_COMMA.fullmatch(row[i]) for row in table.rows[1:] for i in places)


def refuse_duplicates(path: Path, what: str, values: Iterable[str]) -> None:
    """Raise `AutograderError` if two of the `values`, one from each row, are equal: then two rows
    would belong to one person. Empty values are ignored.

    `what`: what messages call the values, such as `identifier`. `path`: the table's file, for
    messages.
    """
    twice = [value for value, count in Counter(values).items() if value and count > 1]
    if twice:
        raise AutograderError(
            f"`{path}` has several rows with the {what} `{twice[0]}`: download it again."
        )


def scale_warning(what: str, possible: float | None, grades: Sequence[Grade]) -> list[str]:
    """Return a list with a warning if the platform's maximum (`possible`) is not the maximum of
    these grades; else [].

    `what` is what messages call the assignment or its column.
    """
    ours = sorted({grade.max_points for grade in grades if grade.total is not None})
    if possible is None or ours in ([], [possible]):
        return []
    return [
        f"{what} is out of {decimal_text(possible)} points on the platform, these grades are out of "
        f"{' or '.join(map(decimal_text, ours))}: nothing was scaled."
    ]


def match_sheet(
    path: Path,
    sheet: files.Table,
    grades: Sequence[Grade],
    rows: Mapping[int, Any],
    keys: Iterable[MatchKey],
) -> FilledSheet:
    """Return the table with the grade that belongs to each row; nothing is filled in yet.

    `path`: the table's file, for messages. `rows`: the rows of students, by index, as
    the keys read them. `keys`: tried
    one after the other, the most reliable first. A student whose text is in exactly one row that is
    still free gets this row; a student with several such rows, or who shares one, gets none. A text
    that is not sure must be in one row and of one student also among those that are matched
    already. Raises `AutograderError` if no row is matched.
    """
    found = FilledSheet(sheet)
    left = {grade.student: grade for grade in grades}
    everybody = dict(left)
    for key in keys:
        free = {i: row for i, row in rows.items() if i not in found.grades}
        pool = (left, free) if key.sure else (everybody, rows)
        hits = {student: places for student, places in _hits(*pool, key).items() if places}
        students = Counter(i for places in hits.values() for i in places)
        for student, (place, *more) in hits.items():
            if student not in left:
                continue
            grade = left.pop(student)
            if more or students[place] > 1 or place in found.grades:
                found.doubtful.append(student)
            else:
                found.grades[place] = grade
                found.unsure += [] if key.sure else [student]
    if not found.grades:
        raise AutograderError(
            f"`{path}` is of other students: none of its rows is of one with a verdict."
        )
    found.doubtful.sort()
    found.missing = sorted(left)
    return found


def _hits(grades: dict[str, Grade], rows: Mapping[int, Any], key: MatchKey) -> dict[str, set[int]]:
    """Return, for each student, the indexes of the rows that have a text in common with the
    student, by this key.
    """
    by_text: dict[str, set[int]] = defaultdict(set)
    for i, row in rows.items():
        for text in _texts(key.of_row(row)):
            by_text[text].add(i)
    return {
        student: {i for text in _texts(key.of_grade(grade)) for i in by_text.get(text, ())}
        for student, grade in grades.items()
    }


def _texts(values: Iterable[str]) -> set[str]:
    return {text for value in values if (text := normalised(value))}


def normalised(text: str) -> str:
    """Return a text in lower case, in Unicode's NFC and with single spaces, for comparison."""
    return " ".join(unicodedata.normalize("NFC", text).lower().split())


def final_number(text: str) -> str:
    """Return the number at the end of a text, without leading zeros: `1234` for `Participant 1234`;
    "" if there is none.
    """
    found = LAST_NUMBER.search(text)
    return found[1].lstrip("0") or "0" if found else ""
