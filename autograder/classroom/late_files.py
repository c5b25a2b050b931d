"""Read times of submission from a submission's `timestamp.txt` and from three files of staff.

late.csv         student,assignment,submitted    time of submission, in place of the platform's
extensions.csv   student,assignment,until        extended deadline
counts.csv       student,assignment,counts       submission that counts: newest, in time, best, or its
                                                 time of submission
"""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path

from autograder.engine import AutograderError, files, printable, texts, verdicts

MOST_SENTENCES = 20  # on bad lines of one file
EXAMPLE = "2026-11-30 18:00+01:00"
DAY_ONLY = len("2026-11-30")  # characters; a time is longer
COUNTS = NEWEST, IN_TIME, BEST = "newest", "in time", "best"  # which submission
COLUMNS = {"late.csv": "submitted", "extensions.csv": "until", "counts.csv": "counts"}

Key = tuple[str, str]  # student, assignment


@dataclass(frozen=True)
class StaffEntry:
    """A line of a staff's file: a time, a word such as "best", or neither if the cell is empty."""

    line: int
    when: datetime | None = None  # UTC, without a zone
    word: str = ""  # one of COUNTS
    has_zone: bool = True  # whether the line itself has a time zone


def submitted_at(folder: Path, top: Path) -> datetime | None:
    """Return the time of submission as naive UTC, from `timestamp.txt` in its folder, None without
    that file.

    `top`: the folder of all submissions, below which no link is followed. Raises `AutograderError`
    if the file cannot be read as a time. The message does not quote its content.
    """
    path = folder / files.TIMESTAMP
    time, reason = None, "it cannot be read"
    try:
        time = texts.parse_time(
            files.read_regular(path, files.MAX_TIMESTAMP, top).decode(errors="replace")
        )
    except FileNotFoundError:
        return None
    except OSError as error:
        reason = str(error) if isinstance(error, files.NotRegular) else reason
    if time is None:
        raise AutograderError(f"`{path}` is no time like 2026-11-30 18:00:00 UTC: {reason}.")
    return texts.to_utc(time, UTC).replace(tzinfo=None)


def read_said(path: Path, column: str, zone: tzinfo) -> dict[Key, StaffEntry]:
    """Read one of the staff's three files, by student and assignment. A missing file gives {}.

    `column`: name of the third column. `zone`: time zone of times without one. In the column
    `until`, a date without a time lasts to the end of the day, and no cell may be empty. In other
    columns, a date alone is invalid. In the column `counts`, a word of COUNTS may replace the
    time. Raises `AutograderError` with a sentence for each bad line, at most MOST_SENTENCES of
    them.
    """
    quoted_name = f"`{path.name}`"
    entries: dict[Key, StaffEntry] = {}
    bad = []
    for line, student, assignment, text in _rows(path, column):
        location = f"{quoted_name}, line {line}:"
        try:
            entry = _said(text, column, zone, line)
        except (ValueError, OverflowError):
            words = f"none of {', '.join(COUNTS)}, and " if column == "counts" else ""
            bad.append(f"{location} `{printable(text)}` is {words}no time like {EXAMPLE}.")
            continue
        first_entry = entries.setdefault((student, assignment), entry)
        if not verdicts.STUDENT.fullmatch(student) or not assignment:
            bad.append(f"{location} it names no student or no assignment.")
        elif (first_entry.when, first_entry.word) != (entry.when, entry.word):
            bad.append(f"{location} {student} has something else in line {first_entry.line}.")
    if bad:
        omitted = len(bad) - MOST_SENTENCES
        ending = [f"{quoted_name} has {omitted} more lines like that."] if omitted > 0 else []
        raise AutograderError("\n".join(bad[:MOST_SENTENCES] + ending))
    return entries


def _rows(path: Path, column: str) -> Iterator[tuple[int, str, str, str]]:
    """Yield line number, student, assignment and text of each line. Raises `AutograderError`."""
    names = "student", "assignment", column
    try:
        records = files.read_table(path).records(*names)
    except files.NoTable:
        return
    for line, cells in records:
        student, assignment, text = (cells[name].strip() for name in names)
        if student or assignment or text:
            yield line, student, assignment, text


def _said(text: str, column: str, zone: tzinfo, line: int) -> StaffEntry:
    """Parse the third cell of a line. Raises `ValueError` or `OverflowError` for an invalid time."""
    if not text and column != "until":
        return StaffEntry(line)
    if column == "counts" and text.lower() in COUNTS:
        return StaffEntry(line, word=text.lower())
    time = time_in(text, zone)
    if len(text) <= DAY_ONLY:
        if column != "until":
            raise ValueError("a day is no time")
        time += timedelta(days=1)
    utc = texts.to_utc(time, zone).replace(tzinfo=None)
    return StaffEntry(line, utc, has_zone=time.tzinfo is not None)


def time_in(text: str, zone: tzinfo = UTC) -> datetime:
    """Parse a staff's time such as `2026-11-30 18:00+01:00` or `30.11.2026 18:00`, naive without a
    zone. The course's `zone` provides abbreviations (`02:30 CEST`). Raises `ValueError` for an
    invalid time.
    """
    for form in ("%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S"):  # as spreadsheets write it
        with contextlib.suppress(ValueError):
            return datetime.strptime(text, form)
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        time = texts.parse_time(text, zone)  # with the name of a zone
        if time is None:
            raise
        return time


def template(students: list[str], assignment_id: str) -> str:
    """Return the text of a `late.csv` for these students, with times to fill in."""
    return files.csv_text(
        [
            ("student", "assignment", "submitted"),
            *((student, assignment_id, "") for student in students),
        ]
    )
