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

from autograder.engine import AutograderError, files, printable, texts, verdicts

MOST_SENTENCES = 20  # on bad lines of one file
EXAMPLE = "2026-11-30 18:00+01:00"
DAY_ONLY = len("2026-11-30")  # characters; a time is longer
COUNTS = NEWEST, IN_TIME, BEST = "newest", "in time", "best"  # which submission
COLUMNS = {"late.csv": "submitted", "extensions.csv": "until", "counts.csv": "counts"}

Key = tuple[str, str]  # student, assignment


@dataclass(frozen=True)
class StaffEntry:
    """What one line of a staff's file says: a time (`when`, UTC without a zone), a word such as
    "best", or neither if the cell is empty. `has_zone`: whether the line itself names the time
    zone.
    """

    line: int
    when: datetime | None = None  # UTC, without a zone
    word: str = ""  # one of COUNTS
    has_zone: bool = True  # the line itself names the zone of its time


def submitted_at(folder: Path, top: Path) -> datetime | None:
    """Return when a submission was handed in, as naive UTC, from `timestamp.txt` in its folder;
    None if there is no such file.

    `top`: the folder of all submissions, below which no link is followed. Raises `AutograderError` if the
    file cannot be read as a time; the message does not quote what is in it.
    """
    path = folder / files.TIMESTAMP
    when, why = None, "it cannot be read"
    try:
        when = texts.parse_time(
            files.read_regular(path, files.MAX_TIMESTAMP, top).decode(errors="replace")
        )
    except FileNotFoundError:
        return None
    except OSError as error:
        why = str(error) if isinstance(error, files.NotRegular) else why
    if when is None:
        raise AutograderError(f"`{path}` is no time like 2026-11-30 18:00:00 UTC: {why}.")
    return texts.to_utc(when, UTC).replace(tzinfo=None)


def read_said(path: Path, column: str, zone: tzinfo) -> dict[Key, StaffEntry]:
    """Return what staff wrote in one of their three files, by student and assignment; {} if there
    is no such file.

    `column`: the name of the file's third column; `zone`: that of times which name none. In the
    column `until`, a date without a time lasts to the end of the day, and no cell may be empty;
    elsewhere a date alone is no time. In the column `counts`, a word of COUNTS may stand instead of
    a time. Raises `AutograderError` with a sentence for each bad line, at most MOST_SENTENCES of them.
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
        if not verdicts.STUDENT.fullmatch(student) or not assignment:
            bad.append(f"{where} it names no student or no assignment.")
        elif (other.when, other.word) != (one.when, one.word):
            bad.append(f"{where} {student} has something else in line {other.line}.")
    if bad:
        more = len(bad) - MOST_SENTENCES
        rest = [f"{called} has {more} more lines like that."] if more > 0 else []
        raise AutograderError("\n".join(bad[:MOST_SENTENCES] + rest))
    return said


def _rows(path: Path, column: str) -> Iterator[tuple[int, str, str, str]]:
    """Yield the line number and the three cells (student, assignment, `column`) of each line that
    is not empty; nothing if there is no such file. Raises `AutograderError` if the file is no such
    table.
    """
    names = "student", "assignment", column
    try:
        records = files.read_table(path).records(*names)
    except files.NoTable:
        return
    for line, cells in records:
        student, assignment, said = (cells[name].strip() for name in names)
        if student or assignment or said:
            yield line, student, assignment, said


def _said(text: str, column: str, zone: tzinfo, line: int) -> StaffEntry:
    """Return what the third cell of a line says. Raises `ValueError` if it is no time, or a date
    alone in another column than `until`; `OverflowError` if the time is out of range.

    `column`: the name of the cell's column; `zone`: that of a time which names none; `line`: the
    line's number.
    """
    if not text and column != "until":
        return StaffEntry(line)
    if column == "counts" and text.lower() in COUNTS:
        return StaffEntry(line, word=text.lower())
    when = time_in(text, zone)
    if len(text) <= DAY_ONLY:
        if column != "until":
            raise ValueError("a day is no time")
        when += timedelta(days=1)
    utc = texts.to_utc(when, zone).replace(tzinfo=None)
    return StaffEntry(line, utc, has_zone=when.tzinfo is not None)


def time_in(text: str, zone: tzinfo = UTC) -> datetime:
    """Parse a time that staff wrote, such as `2026-11-30 18:00+01:00` or `30.11.2026 18:00`; the
    result is naive if the text names no time zone. `zone`: the course's, whose own names of times
    are known (`02:30 CEST`). Raises `ValueError` if it is no time.
    """
    for form in ("%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S"):  # as spreadsheets write it
        with contextlib.suppress(ValueError):
            return datetime.strptime(text, form)
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        when = texts.parse_time(text, zone)  # with the name of a zone
        if when is None:
            raise
        return when


def template(students: list[str], assignment_id: str) -> str:
    """Return the text of a `late.csv` with a line for each of these students, whose times are left
    empty for staff to fill in.
    """
    return files.csv_text(
        [
            ("student", "assignment", "submitted"),
            *((student, assignment_id, "") for student in students),
        ]
    )
