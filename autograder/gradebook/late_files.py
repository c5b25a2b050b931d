"""The files from which times are taken: a submission's `timestamp.txt`, and the two that staff write.

late.csv         student,assignment,submitted    when something was handed in; counts before the platform's time
extensions.csv   student,assignment,until        who has more time
"""

import contextlib
import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path

from autograder.csv_text import csv_text, decoded, delimiter_of
from autograder.engine.verdict import STUDENT
from autograder.files import NotRegular, TooLarge, read_named, read_regular
from autograder.patterns import Pattern
from autograder.text import printable, unescape_formulas
from autograder.times import MAX_TIMESTAMP, TIMESTAMP, parse_time, to_utc

MAX_BYTES = 16 << 20  # of a file that staff wrote
MOST_SENTENCES = 20  # on bad lines of one file
DAY = Pattern(r"[\d-]+")
DAY_ONLY = "2026-11-30"
EXAMPLE = "2026-11-30 18:00+01:00"

Key = tuple[str, str]  # student, assignment


class TimeError(Exception):
    """A submission's timestamp.txt cannot be read; the message says whose."""


class PolicyError(Exception):
    """A file of times cannot be used; the message has a sentence on each bad line."""


@dataclass(frozen=True)
class Said:
    """What one line of a file says: a time in UTC, None where its cell is still empty."""

    when: datetime | None
    line: int
    has_zone: bool  # the line itself names one


def submitted_at(folder: Path, top: Path) -> datetime | None:
    """Return when a submission was handed in, by nbgrader's `timestamp.txt` in its folder.

    UTC, without a zone; None where there is no such file. No link is followed on the way from the
    folder `top`. Raises `TimeError`, which does not say what is in the file.
    """
    path = folder / TIMESTAMP
    why = "it cannot be read"
    try:
        when = parse_time(read_regular(path, MAX_TIMESTAMP, top).decode(errors="replace"))
    except FileNotFoundError:
        return None
    except OSError as error:
        when = None
        why = str(error) if isinstance(error, NotRegular) else why
    if when is None:
        raise TimeError(f"`{path}` is no time like 2026-11-30 18:00:00 UTC: {why}.")
    return to_utc(when, UTC).replace(tzinfo=None)


def read_times(path: Path, column: str, zone: tzinfo) -> dict[Key, Said]:
    """Return what the file's column says, by student and assignment; nothing where there is no file.

    A time without a zone is one of `zone`. In the column `until`, a day alone lasts to its end, and
    no cell may be empty. Raises `PolicyError`.
    """
    called = f"`{path.name}`"
    rows = list(_rows(path, column))
    said: dict[Key, Said] = {}
    bad = []
    for line, (student, assignment, text) in rows:
        where = f"{called}, line {line}:"
        try:
            one = _said(text, column, zone, line)
        except (ValueError, OverflowError):
            bad.append(f"{where} `{printable(text)}` is no time like {EXAMPLE}.")
            continue
        other = said.setdefault((student, assignment), one)
        if not STUDENT.fullmatch(student) or not assignment:
            bad.append(f"{where} it names no student or no assignment.")
        elif other.when != one.when:
            bad.append(f"{where} {student} has another time in line {other.line}.")
    if bad:
        more = len(bad) - MOST_SENTENCES
        rest = [f"{called} has {more} more lines like that."] if more > 0 else []
        raise PolicyError("\n".join(bad[:MOST_SENTENCES] + rest))
    return said


def _rows(path: Path, column: str) -> Iterator[tuple[int, tuple[str, str, str]]]:
    """The cells of the three columns, with the number of their line. Raises `PolicyError`."""
    names = ("student", "assignment", column)
    try:
        text = decoded(read_named(path, MAX_BYTES))
        table = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(text))
        columns = [name.strip().lower() for name in next(table, [])]
        if not {*names} <= {*columns}:
            raise PolicyError(
                f"`{path}` needs the columns {', '.join(names[:-1])} and {names[-1]}."
            )
        places = [columns.index(name) for name in names]
        for row in table:
            if any(cell.strip() for cell in row):
                cells = [row[place] if place < len(row) else "" for place in places]
                student, assignment, said = (unescape_formulas(cell).strip() for cell in cells)
                yield table.line_num, (student, assignment, said)
    except FileNotFoundError:
        return
    except TooLarge as error:
        raise PolicyError(f"`{path}` is too long for a list of times ({error}).") from error
    except (OSError, ValueError, csv.Error) as error:
        raise PolicyError(f"`{path}` cannot be read ({error}).") from error


def _said(text: str, column: str, zone: tzinfo, line: int) -> Said:
    """What a cell says. Raises `ValueError` where it is no time, `OverflowError` for one too far away."""
    if not text and column != "until":
        return Said(None, line, has_zone=True)
    when = _in_words(text)
    if len(text) == len(DAY_ONLY) and DAY.fullmatch(text):
        if column != "until":
            raise ValueError("a day is no time")
        when += timedelta(days=1)
    utc = to_utc(when, zone).replace(tzinfo=None)
    return Said(utc, line, has_zone=when.tzinfo is not None)


def _in_words(text: str) -> datetime:
    """The time, without a zone where the text names none. Raises `ValueError`."""
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
    """Return a `late.csv` in which the times of these students are still to be filled in."""
    return csv_text(
        [
            ("student", "assignment", "submitted"),
            *((student, assignment_id, "") for student in students),
        ]
    )
