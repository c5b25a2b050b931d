"""Moodle's grading worksheets for tests."""

import csv
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

HEADER = [
    "Identifier", "Full name", "Email address", "Status", "Group", "Grade", "Maximum grade",
    "Grade can be changed", "Last modified (submission)", "Last modified (grade)", "Feedback comments",
]  # fmt: skip
STATUSES = {
    "submitted": "Submitted for grading -  - ",
    "draft": "Draft (not submitted) -  - ",
    "none": "No submission -  - ",
}
FIRST = datetime(2026, 11, 17, 20, 15)


def in_words(when: datetime) -> str:
    return f"{when:%A, {when.day} %B %Y, %I:%M %p}"


def worksheet(path: Path, *rows: str | Sequence[str], when: datetime = FIRST) -> Path:
    """Write a worksheet: of each row a person's name, number, address and status, and the team where
    teams submit. All submitted at one time.
    """
    people = [row.split(",") if isinstance(row, str) else [*row] for row in rows]
    header = HEADER if any(len(person) > 4 for person in people) else HEADER[:4] + HEADER[5:]
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        table = csv.writer(file)
        table.writerow(header)
        for name, number, email, status, *team in people:
            time = "-" if status == "none" else in_words(when)
            row = [f"Participant {number}", name, email, STATUSES.get(status, status), *team]
            table.writerow([*row, "", "28.00", "Yes", time, "-", ""])
    return path
