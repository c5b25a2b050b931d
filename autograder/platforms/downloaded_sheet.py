"""A table downloaded from a platform: read, changed cell by cell, written as it was read."""

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from autograder.csv_text import UTF_16, decoded, delimiter_of
from autograder.files import NotRegular, TooLarge, read_named, replacing
from autograder.platforms.errors import ExportError
from autograder.platforms.grades import decimal_text
from autograder.platforms.matching import Matches

BOM = "\ufeff"
EMPTY_CELLS = "", "-"  # what platforms write where there is no grade
LARGEST = 50_000_000  # bytes; a class of ten thousand is a tenth of it


@dataclass
class Sheet:
    """Rows of text, the first being the header; and how the file was written."""

    rows: list[list[str]]
    bom: bool = False
    delimiter: str = ","
    newline: str = "\n"

    @property
    def header(self) -> list[str]:
        return self.rows[0]

    def column(self, *names: str) -> int | None:
        """Return the index of the first of these names that a column has; case does not count."""
        known = {name.strip().casefold(): i for i, name in reversed(list(enumerate(self.header)))}
        return next((known[name.casefold()] for name in names if name.casefold() in known), None)

    def cells(self, *names: str) -> Callable[[list[str]], list[str]]:
        """Return what reads a row's cells in those of these columns that there are."""
        places = [place for name in names if (place := self.column(name)) is not None]
        return lambda row: [row[place] for place in places]

    def has_commas(self, *columns: int | None) -> bool:
        """Whether the platform writes a decimal comma in one of these columns."""
        known = [column for column in columns if column is not None]
        return any(_has_comma(row[column]) for row in self.rows[1:] for column in known)


@dataclass
class FilledSheet:
    """A sheet with grades in it, for the platform to take back, and what has to be said of it."""

    sheet: Sheet
    matches: Matches = field(default_factory=Matches)
    commas: bool = False  # in its numbers
    entered: int = 0  # grades in it
    replaced: int = 0  # of which the sheet had another one
    kept: list[str] = field(default_factory=list)  # whose cell stays as it was, and what it says
    remarks: list[str] = field(default_factory=list)

    def enter(self, row: list[str], column: int, points: float) -> None:
        """Put a grade into the row's cell; a cell with the same number stays as it is written."""
        before, now = row[column].strip(), decimal_text(points, self.commas)
        self.entered += 1
        if number_in(before) == number_in(now):
            return
        self.replaced += before not in EMPTY_CELLS
        row[column] = now


def number_in(cell: str) -> float | None:
    """Return the number in a cell, with decimal point or comma; None if there is none."""
    try:
        return float(cell.strip().replace(",", "."))
    except ValueError:
        return None


def read_sheet(path: Path) -> Sheet:
    """Read a downloaded table. Raises `ExportError`, `OSError`."""
    try:
        content = read_named(path, LARGEST)
    except (FileNotFoundError, NotADirectoryError, NotRegular) as error:
        raise ExportError(f"There is no sheet `{path}`.") from error
    except TooLarge as error:
        raise ExportError(f"`{path}` is too large to be a sheet of grades.") from error
    if content.startswith(b"PK"):
        raise ExportError(f"`{path}` is no CSV: download or save the sheet as CSV.")
    try:
        text = decoded(content)
    except UnicodeDecodeError as error:
        raise ExportError(f"`{path}` is no text: download it again, as CSV.") from error
    bom = content.startswith((BOM.encode(), *UTF_16))
    first = text.split("\n", 1)[0]
    newline, delimiter = "\r\n" if first.endswith("\r") else "\n", delimiter_of(text)
    limit = csv.field_size_limit(LARGEST)  # a worksheet holds whole texts of students
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise ExportError(f"`{path}` is a damaged CSV ({error}): download it again.") from error
    finally:
        csv.field_size_limit(limit)  # it is the process's
    rows = [row for row in rows if row]
    if len(rows) < 2:
        raise ExportError(f"`{path}` has no rows.")
    uneven = next((i for i, row in enumerate(rows, 1) if len(row) != len(rows[0])), None)
    if uneven:
        raise ExportError(
            f"`{path}` is damaged: row {uneven} has {len(rows[uneven - 1])} cells, "
            f"the header has {len(rows[0])}. Download it again."
        )
    return Sheet(rows, bom, delimiter, newline)


def write_sheet(path: Path, sheet: Sheet) -> None:
    """Write the table. Raises `OSError`."""
    with replacing(path) as file:
        file.write(BOM if sheet.bom else "")
        csv.writer(file, delimiter=sheet.delimiter, lineterminator=sheet.newline).writerows(
            sheet.rows
        )


def refuse_duplicates(path: Path, what: str, values: Iterable[str]) -> None:
    """Raise `ExportError` if two rows have one value: they would be of one person."""
    twice = [value for value, count in Counter(values).items() if value and count > 1]
    if twice:
        raise ExportError(
            f"`{path}` has several rows with the {what} `{twice[0]}`: download it again."
        )


def _has_comma(cell: str) -> bool:
    whole, comma, part = cell.strip().partition(",")
    return bool(comma) and whole.isdigit() and part.isdigit()
