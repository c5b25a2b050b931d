"""Split a file into what is one student's and what stays; the bytes of what stays are unchanged."""

import csv
import io
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec

from autograder.files.csv_text import (
    MAX_BYTES,
    Table,
    TableError,
    csv_text,
    decoded,
    delimiter_of,
)
from autograder.files.reading import read_regular
from autograder.people.roster import COLUMNS
from autograder.staff.student_data.course_files import CourseFile
from autograder.staff.student_data.subject import Subject, is_theirs
from autograder.text.printable import unescape_formulas

UTF_16 = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
BYTES = "latin-1"  # a character for each byte, so that they come back as they were
MARKS = "\ufeff", "\xef\xbb\xbf"  # byte order marks, decoded so
SHOWN = {*COLUMNS, "assignment", "submitted", "until", "counts"}  # others may be notes of staff
OF_REPORTS = ".class-report.json"  # beside the tables that `report` wrote: their names
GONE = object()


class Part(NamedTuple):
    """What of a file is a student's, as far as it is not the whole file, and what stays of it: None
    where the file goes.
    """

    theirs: bytes
    rest: bytes | None


Split = Callable[[CourseFile, Subject], Part | None]  # None: the student is not in it


def whole(file: CourseFile, subject: Subject) -> Part | None:
    """Take the whole file: its path says whose it is."""
    return Part(b"", None)


def made(file: CourseFile, subject: Subject) -> Part | None:
    """Take the whole file if it names the student: it can be made again without. Raises `OSError`
    if it cannot be read.
    """
    return Part(b"", None) if subject.is_named_in(file.read()) else None


def reported(file: CourseFile, subject: Subject) -> Part | None:
    """Take a table that names the student if `report` wrote it; else its rows, as `rows` does."""
    try:
        ours = file.path.name in msgspec.json.decode(
            read_regular(file.path.with_name(OF_REPORTS), MAX_BYTES, file.top)
        )
    except (OSError, ValueError, TypeError):
        ours = False
    return made(file, subject) if ours else rows(file, subject)


def database(file: CourseFile, subject: Subject) -> Part | None:
    """Take nothing: a database is not changed as a file. `gradebook_rows.py` deletes its rows."""
    return None


def received(file: CourseFile, subject: Subject) -> Part | None:
    """Take a file as it was received if nobody else handed in the same."""
    name = file.label.rpartition("/")[2]
    return Part(b"", None) if (file.assignment, name) in subject.files else None


def rows(file: CourseFile, subject: Subject) -> Part | None:
    """Take the student's rows of a table (CSV). A row without an id is the student's by e-mail or
    name. Raises `TableError` if it is no table, `OSError` if it cannot be read.
    """
    data = file.read()
    code = UTF_16.get(data[:2], BYTES)
    lines = [*io.StringIO(data.decode(code, "surrogateescape"), newline="")]
    parsed = _parsed(lines, code, file.label)
    id_of = Table([row for row, _ in parsed[:1]]).cells("student")
    theirs, kept = [], []
    for number, (row, text) in enumerate(parsed):
        id = "".join(id_of(row)).strip() if number and row else ""
        is_one = id == subject.student or (not id and number and subject.is_called(*row))
        (theirs if is_one else kept).append(text if not is_one else row)
    if not theirs:
        return None
    shown = [place for place, name in enumerate(parsed[0][0]) if name.strip().lower() in SHOWN]
    table = [[row[place] for place in shown if place < len(row)] for row in (parsed[0][0], *theirs)]
    return Part(csv_text(table).encode(), "".join(kept).encode(code, "surrogateescape"))


def rows_or_made(file: CourseFile, subject: Subject) -> Part | None:
    """Take the student's rows of a table; all of it if other rows name the student, too. Raises what
    `rows` raises.
    """
    part = rows(file, subject)
    others_name = subject.is_named_in((part and part.rest) or b"") if part else made(file, subject)
    return Part(b"", None) if others_name else part


def lines(file: CourseFile, subject: Subject) -> Part | None:
    """Take the student's lines of JSON; in other lines, only the student's entries. A damaged line
    goes if it names the student. Raises `OSError` if it cannot be read.
    """
    theirs, kept, data = [], [], file.read()
    for line in data.splitlines(keepends=True):
        value: Any = None
        with suppress(ValueError, RecursionError):
            value = msgspec.json.decode(line)
        if isinstance(value, dict) and value.get("student") == subject.student:
            theirs.append(line)
        elif is_theirs(subject, value) or (value is None and subject.is_named_in(line)):
            continue
        else:
            rest = _without(value, subject)
            kept.append(line if rest == value else msgspec.json.encode(rest) + b"\n")
    stays = b"".join(kept)
    return None if stays == data else Part(b"".join(theirs), stays)


def document(file: CourseFile, subject: Subject) -> Part | None:
    """Take the student's entries of a file of JSON. Raises `OSError` if it cannot be read; one that
    is no JSON goes if it names the student.
    """
    try:
        value = msgspec.json.decode(file.read())
    except (ValueError, RecursionError):
        return made(file, subject)
    rest = _without(value, subject)
    return None if rest == value else Part(b"", msgspec.json.encode(rest))


def words(file: CourseFile, subject: Subject) -> Part | None:
    """Take the lines of a text that name the student. Raises `OSError` if it cannot be read."""
    data = file.read()
    rest = b"".join(one for one in data.splitlines(keepends=True) if not subject.is_named_in(one))
    return None if rest == data else Part(b"", rest)


def _without(value: Any, subject: Subject) -> Any:
    """Return parsed JSON without what is about the student; GONE if all of it is."""
    if value == subject.student or is_theirs(subject, value):
        return GONE
    if isinstance(value, list):
        return [rest for one in value if (rest := _without(one, subject)) is not GONE]
    if isinstance(value, dict):
        inside = {
            key: _without(one, subject) for key, one in value.items() if key != subject.student
        }
        return {key: one for key, one in inside.items() if one is not GONE}
    return value


def _parsed(lines: list[str], code: str, name: str) -> list[tuple[list[str], str]]:
    """Return the rows of a table, each with its text in the file. Raises `TableError` if it is none."""
    found, begin = [], 0
    limit = csv.field_size_limit(MAX_BYTES)  # the process's, as in `table_in`
    reader = csv.reader(iter(lines), delimiter=delimiter_of("".join(lines[:1])), strict=True)
    try:
        for row in reader:
            cells = [_cell(cell, code) for cell in row]
            found.append((cells, "".join(lines[begin : reader.line_num])))
            begin = reader.line_num
    except (csv.Error, UnicodeDecodeError) as error:
        raise TableError(
            f"`{name}`, line {reader.line_num}: {error}; save it as CSV again, or move it away."
        ) from error
    finally:
        csv.field_size_limit(limit)
    return found


def _cell(cell: str, code: str) -> str:
    text = decoded(cell.encode(BYTES)) if code == BYTES else cell
    return unescape_formulas(text.removeprefix(MARKS[0]).removeprefix(MARKS[1]))
