"""The files that times come from: a submission's `timestamp.txt`, and the three that staff write.

late.csv         student,assignment,submitted    when it was handed in; counts before the platform's time
extensions.csv   student,assignment,until        who has more time
counts.csv       student,assignment,counts       which submission counts: newest, in time, best, or the
                                                 time at which it was handed in
"""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path

from autograder.engine.verdict.verdict import STUDENT
from autograder.files.csv_text import NoTable, TableError, csv_text, read_table
from autograder.files.reading import NotRegular, read_regular
from autograder.files.timestamp import MAX_TIMESTAMP, TIMESTAMP
from autograder.text.errors import CommandError
from autograder.text.printable import printable
from autograder.text.times import parse_time, to_utc

MOST_SENTENCES = 20  # on bad lines of one file
EXAMPLE = "2026-11-30 18:00+01:00"
DAY_ONLY = len("2026-11-30")  # characters; a time is longer
COUNTS = NEWEST, IN_TIME, BEST = "newest", "in time", "best"  # which submission
COLUMNS = {"late.csv": "submitted", "extensions.csv": "until", "counts.csv": "counts"}

Key = tuple[str, str]  # student, assignment


class TimeError(Exception):
    """A submission's timestamp.txt cannot be read; the message says whose."""


class PolicyError(CommandError):
    """A setting or a staff's file cannot be used; the message has a sentence on each bad line."""


@dataclass(frozen=True)
class StaffEntry:
    """The content of one line of a staff's file: a time, a word, or neither where the cell is
    empty.
    """

    line: int
    when: datetime | None = None  # UTC, without a zone
    word: str = ""  # one of COUNTS
    has_zone: bool = True  # the line itself names the zone of its time


def submitted_at(folder: Path, top: Path) -> datetime | None:
    """Return when a submission was handed in, from nbgrader's `timestamp.txt` in its folder.

    Naive UTC; None without such a file. No link below the folder `top` is followed. Raises
    `TimeError`, whose message does not quote the file.
    """
    path = folder / TIMESTAMP
    when, why = None, "it cannot be read"
    try:
        when = parse_time(read_regular(path, MAX_TIMESTAMP, top).decode(errors="replace"))
    except FileNotFoundError:
        return None
    except OSError as error:
        why = str(error) if isinstance(error, NotRegular) else why
    if when is None:
        raise TimeError(f"`{path}` is no time like 2026-11-30 18:00:00 UTC: {why}.")
    return to_utc(when, UTC).replace(tzinfo=None)


def read_said(path: Path, column: str, zone: tzinfo) -> dict[Key, StaffEntry]:
    """Return the entries of a file's column by student and assignment; none without a file.

    A time without a zone is in `zone`. In the column `until`, a date without a time lasts to its
    end, and no cell may be empty; in the column `counts`, a word of COUNTS may replace the time.
    Raises `PolicyError`.
    """
    called = f"`{path.name}`"
    said: dict[Key, StaffEntry] = {}
    bad = []
    for line, student, assignment, text in _rows(path, column):
        where = f"{called}, line {line}:"
        try:
            one = _said(text, column, zone, line)
        except (ValueError, OverflowError):
            words = f"none of {', '.join(COUNTS)}, and " if column == "counts" else ""
            bad.append(f"{where} `{printable(text)}` is {words}no time like {EXAMPLE}.")
            continue
        other = said.setdefault((student, assignment), one)
        if not STUDENT.fullmatch(student) or not assignment:
            bad.append(f"{where} it names no student or no assignment.")
        elif (other.when, other.word) != (one.when, one.word):
            bad.append(f"{where} {student} has something else in line {other.line}.")
    if bad:
        more = len(bad) - MOST_SENTENCES
        rest = [f"{called} has {more} more lines like that."] if more > 0 else []
        raise PolicyError("\n".join(bad[:MOST_SENTENCES] + rest))
    return said


def _rows(path: Path, column: str) -> Iterator[tuple[int, str, str, str]]:
    """Yield the line number and the three cells of each line that is not empty. Raises
    `PolicyError`.
    """
    names = "student", "assignment", column
    try:
        records = read_table(path).records(*names)
    except NoTable:
        return
    except TableError as error:
        raise PolicyError(str(error)) from error
    for line, cells in records:
        student, assignment, said = (cells[name].strip() for name in names)
        if student or assignment or said:
            yield line, student, assignment, said


def _said(text: str, column: str, zone: tzinfo, line: int) -> StaffEntry:
    """Parse a cell. Raises `ValueError` where it is no time, `OverflowError` for a time out of
    range.
    """
    if not text and column != "until":
        return StaffEntry(line)
    if column == "counts" and text.lower() in COUNTS:
        return StaffEntry(line, word=text.lower())
    when = time_in(text)
    if len(text) <= DAY_ONLY:
        if column != "until":
            raise ValueError("a day is no time")
        when += timedelta(days=1)
    utc = to_utc(when, zone).replace(tzinfo=None)
    return StaffEntry(line, utc, has_zone=when.tzinfo is not None)


def time_in(text: str) -> datetime:
    """Parse a time that staff wrote; naive where it names no zone. Raises `ValueError`."""
    for form in ("%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S"):  # as spreadsheets write it
        with contextlib.suppress(ValueError):
            return datetime.strptime(text, form)
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        when = parse_time(text)  # with the name of a zone
        if when is None:
            raise
        return when


def template(students: list[str], assignment_id: str) -> str:
    """Return the text of a `late.csv` in which the times of these students are still empty."""
    return csv_text(
        [
            ("student", "assignment", "submitted"),
            *((student, assignment_id, "") for student in students),
        ]
    )
