"""Read a table downloaded from a platform, match its rows with students, and fill in their grades.

A row is matched by the most reliable unambiguous kind of text. All other cells keep their content.
"""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.engine import AutograderError, Pattern, files, texts
from autograder.gradebook.grades import Grade, decimal_text

EMPTY_CELLS = "", "-"  # platforms write these if there is no grade
LAST_NUMBER = Pattern(r"(\d+)\s*$")
DECIMAL_COMMA = Pattern(r"\s*\d+,\d+\s*")
ROUNDING = 0.005 + 1e-9  # platforms keep five decimals and show two


@dataclass(frozen=True)
class MatchKey:
    """A kind of text by which rows are matched with students, such as an e-mail address.

    `of_grade` and `of_row` return the texts of a grade and of a row. They match if they have a text
    in common.
    """

    of_grade: Callable[[Grade], Iterable[str]]
    of_row: Callable[[Any], Iterable[str]]
    sure: bool = True  # False for texts that people choose themselves


@dataclass
class FilledSheet:
    """A downloaded table with grades filled in, and the facts to report about it."""

    sheet: files.Table
    grades: dict[int, Grade] = field(default_factory=dict)  # by index of the student's row
    missing: list[str] = field(default_factory=list)  # students without a row
    unsure: list[str] = field(default_factory=list)  # students matched by an unsure text
    doubtful: list[str] = field(default_factory=list)  # students with several possible rows
    commas: bool = False  # in its numbers
    entered: int = 0  # number of grades in it
    replaced: int = 0  # number of grades that were different before
    # students with an unchanged cell, and its content
    kept: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def enter(self, grade: Grade, row: list[str], column: int, locked: str = "") -> bool:
        """Write a grade into the row's cell in this column, unless the cell has the same grade
        already, in the platform's two decimals. Return whether the cell was changed.

        In both cases the grade counts as entered, and as replaced if the cell had another grade.
        `locked`: why the cell must not be changed, or "". Locked cells, and cells of students
        without a grade, are not changed. They are noted in `kept` if they are locked or not empty.
        """
        old_text, number = row[column].strip(), number_in(row[column])
        if locked or (grade.total is None and old_text not in EMPTY_CELLS):
            self.kept.append(f"{grade.student} ({locked or old_text})")
        if locked or grade.total is None:
            return False
        self.entered += 1
        if number is not None and abs(number - grade.total) <= ROUNDING:
            return False
        self.replaced += old_text not in EMPTY_CELLS
        row[column] = decimal_text(grade.total, self.commas)
        return True

    def describe(self) -> list[str]:
        """Return sentences on filled, replaced and unchanged cells, and on students without a row."""
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
    """Return the number in a cell, with decimal point or comma, or None."""
    try:
        return float(cell.strip().replace(",", "."))
    except ValueError:
        return None


def read_sheet(path: Path) -> files.Table:
    """Read a downloaded table. Raises `TableError` if it has no rows, or if rows and header have
    different lengths.
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
    """Whether a cell in these columns (indexes, None is ignored) has a decimal comma."""
    indexes = [column for column in columns if column is not None]
    return any(DECIMAL_COMMA.fullmatch(row[i]) for row in table.rows[1:] for i in indexes)


def refuse_duplicates(path: Path, label: str, values: Iterable[str]) -> None:
    """Raise `AutograderError` if two rows have the same nonempty value, and so belong to the same
    person. `label`: name of the values in messages, such as `identifier`. `path`: the table's file,
    for messages.
    """
    duplicates = [value for value, count in Counter(values).items() if value and count > 1]
    if duplicates:
        raise AutograderError(
            f"`{path}` has several rows with the {label} `{duplicates[0]}`: download it again."
        )


def scale_warning(label: str, possible: float | None, grades: Sequence[Grade]) -> list[str]:
    """Return a warning, as a list, if the platform's maximum (`possible`) is not that of these
    grades. `label`: name of the assignment or its column in messages.
    """
    maxima = sorted({grade.max_points for grade in grades if grade.total is not None})
    if possible is None or maxima in ([], [possible]):
        return []
    return [
        f"{label} is out of {decimal_text(possible)} points on the platform, these grades are out of "
        f"{' or '.join(map(decimal_text, maxima))}: nothing was scaled."
    ]


def match_sheet(
    path: Path,
    sheet: files.Table,
    grades: Sequence[Grade],
    rows: Mapping[int, Any],
    keys: Iterable[MatchKey],
) -> FilledSheet:
    """Return the table with the grade for each row. Nothing is filled in yet.

    `path`: the table's file, for messages. `rows`: the students' rows, by index. `keys`: the most
    reliable first. A student gets the only free row with a common text. A student with several such
    rows, or with a shared row, gets none. An unsure text must belong to a single row and a single
    student, including those that are already matched. Raises `AutograderError` if no row is
    matched.
    """
    filled = FilledSheet(sheet)
    unmatched = {grade.student: grade for grade in grades}
    all_grades = dict(unmatched)
    for key in keys:
        free = {i: row for i, row in rows.items() if i not in filled.grades}
        pool = (unmatched, free) if key.sure else (all_grades, rows)
        hits = {student: indexes for student, indexes in _hits(*pool, key).items() if indexes}
        students = Counter(i for indexes in hits.values() for i in indexes)
        for student, (index, *other_indexes) in hits.items():
            if student not in unmatched:
                continue
            grade = unmatched.pop(student)
            if other_indexes or students[index] > 1 or index in filled.grades:
                filled.doubtful.append(student)
            else:
                filled.grades[index] = grade
                filled.unsure += [] if key.sure else [student]
    if not filled.grades:
        raise AutograderError(
            f"`{path}` is of other students: none of its rows is of one with a verdict."
        )
    filled.doubtful.sort()
    filled.missing = sorted(unmatched)
    return filled


def _hits(grades: dict[str, Grade], rows: Mapping[int, Any], key: MatchKey) -> dict[str, set[int]]:
    """Return, for each student, the indexes of the rows with a common text."""
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
    """Return the number at the end of a text, without leading zeros, or ""."""
    match = LAST_NUMBER.search(text)
    return match[1].lstrip("0") or "0" if match else ""
