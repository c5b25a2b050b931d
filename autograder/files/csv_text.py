"""CSV: read as spreadsheets of any country save it, written so that they may open it."""

import csv
import io
from collections.abc import Iterable, Sequence

from autograder.text.printable import safe_cell

DELIMITERS = ",;\t"
UTF_16 = b"\xff\xfe", b"\xfe\xff"  # how a spreadsheet's "Unicode text" begins


def decoded(data: bytes) -> str:
    """Return the text of a table that a person saved: in UTF-8, or as spreadsheets on Windows do.

    Raises `UnicodeDecodeError`.
    """
    if data.startswith(UTF_16):
        return data.decode("utf-16")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252")


def delimiter_of(text: str) -> str:
    """Return what stands between the cells: that of which the first line has most."""
    return max(DELIMITERS, key=text.partition("\n")[0].count)


def csv_text(rows: Iterable[Sequence]) -> str:
    """Return rows as RFC 4180 has them, with no cell that a spreadsheet would run."""
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\r\n").writerows(map(safe_cell, row) for row in rows)
    return out.getvalue()
