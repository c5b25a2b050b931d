"""Split a file into what is one student's and what stays. The bytes of what stays are unchanged."""

import io
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec

from autograder.files.csv_text import csv_text, table_in
from autograder.files.reading import read_regular
from autograder.people.not_placed import LINES
from autograder.people.roster import COLUMNS
from autograder.staff.student_data.course_files import MAX_BYTES, CourseFile
from autograder.staff.student_data.subject import Subject

UTF_16 = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
BYTES = "latin-1"  # a character for each byte
SHOWN = *COLUMNS, "assignment", "submitted", "until", "counts"  # others may be notes of staff
PAGE = b"<!-- python -m autograder report: "  # the last line of a page
OF_REPORTS = ".class-report.json"  # beside tables that `report` wrote, whose names are in it
GONE = object()


class FilePart(NamedTuple):
    """What of a file is a student's, as far as it is not the whole file, and what stays of it: None
    where the file goes.
    """

    theirs: bytes = b""
    rest: bytes | None = None


Split = Callable[[CourseFile, Subject], FilePart | None]  # None: nothing of it is the student's


def whole(file: CourseFile, subject: Subject) -> FilePart | None:
    """Take the whole file, whose path says whose it is."""
    return FilePart()


def nothing(file: CourseFile, subject: Subject) -> FilePart | None:
    """Take nothing: rows of a database are deleted by `gradebook_rows.py`."""
    return None


def made(file: CourseFile, subject: Subject) -> FilePart | None:
    """Take the whole file if it names the student: it is made of others' data."""
    return FilePart() if subject.is_named_in(file.read()) else None


def reported(file: CourseFile, subject: Subject) -> FilePart | None:
    """Take a page or a table that names the student, if `report` wrote it."""
    names: Any = ()
    with suppress(OSError):
        names = _decoded(read_regular(file.path.with_name(OF_REPORTS), MAX_BYTES, file.top)) or ()
    return made(file, subject) if file.path.name in names or PAGE in file.read() else None


def received(file: CourseFile, subject: Subject) -> FilePart | None:
    """Take a file as it was received, if all records that name it are about the student alone."""
    folder, name = file.path.parents[1], file.path.name.encode()
    lines = read_regular(folder / LINES, MAX_BYTES, file.top).splitlines()
    about = [_decoded(line) for line in lines if name in line]
    return FilePart() if about and all(map(subject.owns, about)) else None


def rows(file: CourseFile, subject: Subject) -> FilePart | None:
    """Take the student's rows of a table (CSV); without an id, an address or a name tells whose a
    row is. Raises `TableError` if it is no table.
    """
    data = file.read()
    table, code = table_in(data, file.label), UTF_16.get(data[:2], BYTES)
    raw = [*io.StringIO(data.decode(code), newline="")]
    id_of, shown = table.cells("student"), table.cells(*SHOWN)
    theirs, kept, begin = [table.header], [], 0
    for row, end in zip(table.rows, table.lines, strict=True):
        id = "".join(id_of(row)).strip()
        is_one = id == subject.student if id else subject.is_named_in(" | ".join(row))
        if is_one and begin:
            theirs.append(row)
        else:
            kept += raw[begin:end]
        begin = end
    rest = "".join([*kept, *raw[begin:]]).encode(code)
    return FilePart(csv_text(map(shown, theirs)).encode(), rest) if theirs[1:] else None


def lines(file: CourseFile, subject: Subject) -> FilePart | None:
    """Take the student's lines of JSON; of other lines, only the student's entries. A damaged line
    goes if it names the student.
    """
    theirs, kept, data = [], [], file.read()
    for line in data.splitlines(keepends=True):
        value = _decoded(line)
        rest = _without(value, subject)
        if isinstance(value, dict) and value.get("student") == subject.student:
            theirs.append(line)
        elif value is None and subject.is_named_in(line):
            continue
        elif rest is not GONE:
            kept.append(line if rest == value else msgspec.json.encode(rest) + b"\n")
    stays = b"".join(kept)
    return None if stays == data else FilePart(b"".join(theirs), stays)


def words(file: CourseFile, subject: Subject) -> FilePart | None:
    """Take the lines of a text that name the student."""
    data = file.read()
    rest = b"".join(one for one in data.splitlines(keepends=True) if not subject.is_named_in(one))
    return None if rest == data else FilePart(b"", rest)


def _decoded(line: bytes) -> Any:
    """Return a line of JSON, parsed; None if it is none."""
    with suppress(ValueError, RecursionError):
        return msgspec.json.decode(line)
    return None


def _without(value: Any, subject: Subject) -> Any:
    """Return parsed JSON without what is about the student; GONE if all of it is."""
    if value == subject.student or subject.owns(value):
        return GONE
    if isinstance(value, list):
        return [rest for one in value if (rest := _without(one, subject)) is not GONE]
    if isinstance(value, dict):
        rest = {key: _without(one, subject) for key, one in value.items() if key != subject.student}
        return {key: one for key, one in rest.items() if one is not GONE}
    return value
