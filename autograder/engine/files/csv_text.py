"""Read CSV as spreadsheets of different countries save it, and write CSV that they open safely.

`read_table` is the only reader of tables that staff write, fill in or download.
"""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from autograder.engine.files.reading import read_named, read_regular
from autograder.engine.texts.errors import AutograderError
from autograder.engine.texts.printable import printable, safe_cell, unescape_formulas
from autograder.engine.texts.wording import name_some

DELIMITERS = ",;\t"
UTF_16 = b"\xff\xfe", b"\xfe\xff"  # the beginning of a spreadsheet's "Unicode text"
BOM = "\ufeff"
ZIP = b"PK"  # the beginning of a spreadsheet's own format, which is a zip
MAX_BYTES = 50_000_000  # a worksheet of ten thousand students has a tenth of it


class TableError(AutograderError):
    """A table cannot be used. The message names the table, the line, the problem and the remedy."""


class NoTable(TableError):
    """The file of a table does not exist."""


@dataclass
class Table:
    """The rows of a CSV file as lists of cells, the header first, and the format of the file."""

    rows: list[list[str]]
    lines: list[int] = field(default_factory=list)  # the last line of each row in the file
    name: str = ""  # of the file, for messages
    delimiter: str = ","
    newline: str = "\n"
    bom: bool = False

    @property
    def header(self) -> list[str]:
        return self.rows[0] if self.rows else []

    def column(self, *names: str) -> int | None:
        """Return the index of the first of these columns that the header has, ignoring case."""
        index_by_name = {
            name.strip().casefold(): i for i, name in reversed(list(enumerate(self.header)))
        }
        return next(
            (index_by_name[name.casefold()] for name in names if name.casefold() in index_by_name),
            None,
        )

    def cells(self, *names: str) -> Callable[[list[str]], list[str]]:
        """Return a function that returns a row's cells in the columns with these names.

        Names that the header lacks are skipped.
        """
        places = [place for name in names if (place := self.column(name)) is not None]
        return lambda row: [row[place] for place in places]

    def records(self, *required: str) -> list[tuple[int, dict[str, str]]]:
        """Return (line number, cells by lower-case column name) of each row that is not blank.

        A cell is "" if its row is too short. The apostrophes that `escape_formulas` adds are
        removed. Raise `TableError` if a column in `required` is missing.
        """
        if missing := [name for name in required if self.column(name) is None]:
            raise TableError(
                f"`{self.name}` has no column `{missing[0]}`: it needs {name_some(required)}."
            )
        places = {name.strip().lower(): self.column(name.strip()) for name in self.header}
        return [
            (line, {name: _cell(row, place or 0) for name, place in places.items()})
            for line, row in zip(self.lines[1:], self.rows[1:], strict=True)
            if any(cell.strip() for cell in row)
        ]

    def to_bytes(self) -> bytes:
        """Return the table as CSV in UTF-8, in the format of the file that it was read from."""
        out = io.StringIO(newline="")
        out.write(BOM if self.bom else "")
        writer = csv.writer(out, delimiter=self.delimiter, lineterminator=self.newline)
        writer.writerows(self.rows)
        return out.getvalue().encode("utf-8", "backslashreplace")


def read_table(path: Path, top: Path | None = None) -> Table:
    """Read a CSV file.

    With `top`, a folder around the file, no link below `top` is followed. Raise `NoTable` if the
    file does not exist, `TableError` if it cannot be read or is not valid CSV.
    """
    try:
        data = read_named(path, MAX_BYTES) if top is None else read_regular(path, MAX_BYTES, top)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NoTable(f"There is no file `{path}`.") from error
    except OSError as error:
        raise TableError(f"`{path}` cannot be read: {error.strerror or error}.") from error
    return table_in(data, str(path))


def table_in(data: bytes, name: str) -> Table:
    """Parse the bytes of a CSV file; `name` is the file's name in messages.

    Raise `TableError` if `data` is a spreadsheet's own format, not text, or not valid CSV.
    """
    name = printable(name, 1_000)
    if data.startswith(ZIP):
        raise TableError(f"`{name}` is no CSV: download the table, or save it, as CSV.")
    try:
        text = decoded(data)
    except UnicodeDecodeError as error:
        raise TableError(f"`{name}` is no text: save the table as CSV in UTF-8.") from error
    table = Table([], [], name, delimiter_of(text))
    table.bom = data.startswith((BOM.encode(), *UTF_16))
    table.newline = "\r\n" if text.partition("\n")[0].endswith("\r") else "\n"
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=table.delimiter, strict=True)
    limit = csv.field_size_limit(MAX_BYTES)  # a worksheet contains whole answers
    try:
        for row in lines:
            if row:
                table.rows.append(row)
                table.lines.append(lines.line_num)
    except csv.Error as error:
        location = f"`{name}`, line {lines.line_num}"
        raise TableError(f"{location}: {error}; download or save it as CSV again.") from error
    finally:
        csv.field_size_limit(limit)  # the limit is global
    return table


def _cell(row: list[str], place: int) -> str:
    return unescape_formulas(row[place]) if place < len(row) else ""


def decoded(data: bytes) -> str:
    """Decode a text file that a spreadsheet saved.

    The encoding is UTF-16 with a byte order mark, else UTF-8, else Windows code page 1252. Raise
    `UnicodeDecodeError` if none of these fits.
    """
    if data.startswith(UTF_16):
        return data.decode("utf-16")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252")


def delimiter_of(text: str) -> str:
    """Return the most frequent of `,`, `;` and tab in the first line of a CSV text."""
    return max(DELIMITERS, key=text.partition("\n")[0].count)


def csv_text(rows: Iterable[Sequence]) -> str:
    """Return rows as CSV text (RFC 4180), with formulas in cells escaped."""
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\r\n").writerows(map(safe_cell, row) for row in rows)
    return out.getvalue()
