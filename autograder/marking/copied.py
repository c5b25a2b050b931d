"""Marks given to equal answers, and the table that says which these were."""

import csv
import io
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from autograder.files import read_named, replacing
from autograder.gradebook.marking import Copy, copy_marks
from autograder.text import safe_cell

COLUMNS = "copied", "exercise", "from", "to", "points", "extra_credit"
MAX_BYTES = 64 << 20  # of the table


def give(url: str, copies: Sequence[Copy], comments: bool, table: Path) -> list[Copy]:
    """Copy the marks, add a row for each to the table, and return what was copied.

    The table is read first: where it cannot be, nothing is copied. Raises `MarkingError`, `OSError`.
    """
    before = read_named(table, MAX_BYTES).decode() if table.exists() else ""
    done = copy_marks(url, copies, comments)
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    added = io.StringIO(newline="")
    rows = csv.writer(added, lineterminator="\r\n")
    if not before:
        rows.writerow(COLUMNS)
    for one in done:
        giver = one.giver
        row = (now, giver.exercise, giver.student, one.taker.student, giver.points, giver.extra)
        rows.writerow(map(safe_cell, row))
    with replacing(table) as file:
        file.write(before + added.getvalue())
    return done
