"""Marks given to equal answers, and the table that says which these were."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from autograder.files.csv_text import csv_text
from autograder.files.reading import read_named
from autograder.files.writing import replacing
from autograder.staff.marking.hand_marks import Copy, copy_marks
from autograder.text.times import timestamp_text

COLUMNS = "copied", "exercise", "from", "to", "points", "extra_credit"
MAX_BYTES = 64 << 20  # of the table


def give(url: str, copies: Sequence[Copy], comments: bool, table: Path) -> list[Copy]:
    """Copy the marks, add a row for each to the table, and return what was copied.

    The table is read first: where it cannot be, nothing is copied. Raises `UnreadableGradebook`, `OSError`.
    """
    before = read_named(table, MAX_BYTES).decode() if table.exists() else ""
    done = copy_marks(url, copies, comments)
    now = timestamp_text(datetime.now(UTC))
    givers = [(one.giver, one.taker.student) for one in done]
    rows = [
        (now, giver.exercise, giver.student, taker, giver.cell.by_hand, giver.cell.extra)
        for giver, taker in givers
    ]
    with replacing(table) as file:
        file.write(before + csv_text(rows if before else [COLUMNS, *rows]))
    return done
