"""`not-placed.csv`: a row for each file that has no place, with a column to be filled in."""

import csv
import io
from pathlib import Path

from autograder.collect.unplaced import Row, UnplacedStore
from autograder.csv_text import csv_text, decoded, delimiter_of
from autograder.errors import CommandError
from autograder.files import NotRegular, TooLarge, entries, kind_of, read_named, replacing
from autograder.people import NOT_PLACED_TABLE
from autograder.text import printable, safe_cell, unescape_formulas

COLUMNS = ["download", "file", "name", "email", "platform", "reason", "student"]
KEYS = "download", "file", "student"
MAX_BYTES = 16 << 20
Choices = dict[tuple[str, str], str]  # what is in the column student, by download and file


class NoChoices(CommandError):
    """This file is no table of choices; the message says what is wrong and what to do."""


def read_choices(path: Path) -> Choices:
    """Return what is filled in. Raises `NoChoices`, `OSError`."""
    try:
        data = read_named(path, MAX_BYTES)
    except FileNotFoundError as error:
        raise NoChoices(f"There is no file `{path}`.") from error
    except (NotRegular, TooLarge) as error:
        raise NoChoices(f"`{path}` is no table: {error}.") from error
    try:
        text = decoded(data)
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(text)))
    except UnicodeDecodeError as error:
        raise NoChoices(f"`{path}` is not UTF-8 text; save it as CSV in UTF-8.") from error
    except csv.Error as error:
        raise NoChoices(f"`{path}` is no CSV file ({error}).") from error
    columns = [name.strip().casefold() for name in rows[0]] if rows else []
    if missing := [name for name in KEYS if name not in columns]:
        raise NoChoices(
            f"`{path}` has no column `{missing[0]}`: fill in `student` in a copy of {NOT_PLACED_TABLE}."
        )
    places = [columns.index(name) for name in KEYS]
    found: Choices = {}
    for number, row in enumerate(rows[1:], start=2):
        padded = [*row, *[""] * len(columns)]
        download, file, student = (unescape_formulas(padded[place]).strip() for place in places)
        if (download, file) in found:
            raise NoChoices(
                f"`{path}`, row {number}: `{printable(file)}` is there twice; leave one."
            )
        if download or file:
            found[download, file] = student
    return found


def cells_of(row: Row) -> tuple[str, str]:
    """What is read of a row's first cells, once a spreadsheet had them."""
    download, file = (unescape_formulas(str(safe_cell(text))) for text in (row.download, row.file))
    return download.strip(), file.strip()


def write_not_placed(store: UnplacedStore) -> Path | None:
    """Write the table of what has no place, with what was filled in before; return where it is.

    None where there is nothing to list. What stood there and is no such table is kept beside it.
    Raises `OSError`.
    """
    rows = store.rows()
    try:
        before = read_choices(store.table)
    except NoChoices:
        before = {}
        if kind_of(store.table, store.into) is not None:
            store.table.rename(_free(store))
    if not rows:
        store.table.unlink(missing_ok=True)
        return None
    text = csv_text([COLUMNS, *(row.cells(before.get(cells_of(row), "")) for row in rows)])
    try:
        same = read_named(store.table, MAX_BYTES) == text.encode()
    except OSError:
        same = False
    if not same:
        with replacing(store.table) as file:
            file.write(text)
    return store.table


def _free(store: UnplacedStore) -> Path:
    """A name beside the table that is not taken yet."""
    taken = {one.name for one in entries(store.received, store.into)}
    stem = store.table.stem
    number = next(n for n in range(1, len(taken) + 2) if f"{stem}-{n}.csv" not in taken)
    return store.table.with_name(f"{stem}-{number}.csv")
