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
SHOWN = *COLUMNS, "group", "assignment", "submitted", "until", "counts"  # others: notes of staff
OF_SENDER = "name", "email", "number", "label", "member", "inside", "parts", "rows"  # of a record
STORED = "file", "kept"  # names of files that stay
PAGE = b"<!-- python -m autograder report: "  # the last line of a page
OF_REPORTS = ".class-report.json"  # beside tables that `report` wrote, whose names are in it
GONE = object()


class FilePart(NamedTuple):
    """What of a file is a student's, as far as it is not the whole file, and what stays of it: None
    where the file goes. `has_id`: whether it shows that the id is a student's; what only names it
    does not, as a marker is named in marks, too.
    """

    theirs: bytes = b""
    rest: bytes | None = None
    has_id: bool = False


Split = Callable[[CourseFile, Subject], FilePart | None]  # None: nothing of it is the student's


def whole(file: CourseFile, subject: Subject) -> FilePart | None:
    """Take the whole file, whose path says whose it is."""
    return FilePart(has_id=True)


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
    are_theirs = about and all(subject.owns(one, file.assignment) for one in about)
    return FilePart() if are_theirs else None


def rows(file: CourseFile, subject: Subject) -> FilePart | None:
    """Take the student's rows of a table (CSV); without an id, an address or a name tells whose a
    row is. Raises `TableError` if it is no table.
    """
    data = file.read()
    table, code = table_in(data, file.label), UTF_16.get(data[:2], BYTES)
    raw = [*io.StringIO(data.decode(code), newline="")]
    cells_of, shown = table.cells("student"), table.cells(*SHOWN)
    sheet_of = table.cells("assignment")
    theirs, kept, begin, has_id = [table.header], [], 0, False
    for row, end in zip(table.rows, table.lines, strict=True):
        id = "".join(cells_of(row)).strip()
        ids = subject.ids(file.assignment or "".join(sheet_of(row)))
        if begin and (id in ids if id else subject.is_named_in(" | ".join(row))):
            theirs.append(row)
            has_id |= id == subject.student
        else:
            kept += raw[begin:end]
        begin = end
    rest = "".join([*kept, *raw[begin:]]).encode(code)
    return FilePart(csv_text(map(shown, theirs)).encode(), rest, has_id) if theirs[1:] else None


def lines(file: CourseFile, subject: Subject) -> FilePart | None:
    """Take the student's lines of JSON; of other lines, only the student's entries, and who sent
    what is a group's. A line that is no JSON goes if it names the student.
    """
    theirs, kept, data = [], [], file.read()
    for line in data.splitlines(keepends=True):
        value = _decoded(line)
        rest = _without(value, subject, file.assignment)
        if isinstance(value, dict) and value.get("sender", value.get("student")) == subject.student:
            theirs.append(line)
        if rest is not GONE and not (value is None and subject.is_named_in(line)):
            kept.append(line if rest == value else msgspec.json.encode(rest) + b"\n")
    stays = b"".join(kept)
    return None if stays == data else FilePart(b"".join(theirs), stays, bool(theirs))


def _decoded(line: bytes) -> Any:
    """Return a line of JSON, parsed; None if it is none."""
    with suppress(ValueError, RecursionError):
        return msgspec.json.decode(line)
    return None


def _without(value: Any, subject: Subject, assignment: str) -> Any:
    """Return parsed JSON without what is about the student; GONE if all of it is."""
    ids = subject.ids(assignment)
    if value in ids or subject.owns(value, assignment):
        return GONE
    if isinstance(value, list):
        return [rest for one in value if (rest := _without(one, subject, assignment)) is not GONE]
    if isinstance(value, dict):
        if subject.sent(value, assignment):
            return _without_sender(value, subject)
        parts = {key: _without(one, subject, assignment) for key, one in value.items()}
        return {key: one for key, one in parts.items() if key not in ids and one is not GONE}
    return value


def _without_sender(value: Any, subject: Subject, key: str = "") -> Any:
    """Return a record that stays others', with each text empty that says who sent it."""
    if isinstance(value, dict):
        items = value.items()
        return {
            name: _without_sender(one, subject, name) for name, one in items if name != "sender"
        }
    if isinstance(value, list):
        kept = (one for one in value if one != subject.student)
        return [_without_sender(one, subject, key) for one in kept]
    says = isinstance(value, str) and (key in OF_SENDER or subject.is_named_in(value))
    return "" if says and key not in STORED else value
