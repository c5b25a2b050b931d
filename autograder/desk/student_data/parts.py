"""Split a file into what is one student's and what stays. The bytes of what stays are unchanged."""

import io
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec

from autograder.classroom.roster import COLUMNS
from autograder.desk.student_data.course_files import MAX_BYTES, CourseFile
from autograder.desk.student_data.subject import Subject
from autograder.engine import files

UTF_16 = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
BYTES = "latin-1"  # a character for each byte
SHOWN = *COLUMNS, "group", "assignment", "submitted", "until", "counts"  # others: notes of staff
PAGE = b"<!-- python -m autograder report: "  # the last line of a page
OF_REPORTS = ".class-report.json"  # beside tables that `report` wrote, whose names are in it


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
        names = (
            _decoded(files.read_regular(file.path.with_name(OF_REPORTS), MAX_BYTES, file.top)) or ()
        )
    return made(file, subject) if file.path.name in names or PAGE in file.read() else None


def imported(file: CourseFile, subject: Subject) -> FilePart | None:
    """Take the whole file: all that is in it was imported into the records, which stay."""
    return FilePart()


def rows(file: CourseFile, subject: Subject) -> FilePart | None:
    """Take the student's rows of a table (CSV); without an id, an address or a name tells whose a
    row is. Raises `TableError` if it is no table.
    """
    data = file.read()
    table, code = files.table_in(data, file.label), UTF_16.get(data[:2], BYTES)
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
    return (
        FilePart(files.csv_text(map(shown, theirs)).encode(), rest, has_id) if theirs[1:] else None
    )


def lines(file: CourseFile, subject: Subject) -> FilePart | None:
    """Take the student's lines of JSON; of other lines, only the entries under the student's id, and
    where feedback on a group's submission was sent. A line that is not JSON goes if it names the
    student.
    """
    theirs, kept, data = [], [], file.read()
    ids = subject.ids(file.assignment)
    for line in data.splitlines(keepends=True):
        value = _decoded(line)
        id = value.get("student") if isinstance(value, dict) else None
        if id is not None and id == subject.student:
            theirs.append(line)
        if subject.is_named_in(line) if value is None else id in ids:
            continue
        rest = without_entries(value, subject, ids)
        kept.append(line if rest == value else msgspec.json.encode(rest) + b"\n")
    stays = b"".join(kept)
    return None if stays == data else FilePart(b"".join(theirs), stays, bool(theirs))


def _decoded(line: bytes) -> Any:
    """Return a line of JSON, parsed; None if it is not JSON."""
    with suppress(ValueError, RecursionError):
        return msgspec.json.decode(line)
    return None


def without_entries(value: Any, subject: Subject, ids: tuple[str, ...]) -> Any:
    """Return parsed JSON without the entries under these ids, and without a receiver (`to`) who is
    the student.
    """
    if isinstance(value, list):
        return [without_entries(item, subject, ids) for item in value if item not in ids]
    if not isinstance(value, dict):
        return value
    rest = {
        name: without_entries(item, subject, ids) for name, item in value.items() if name not in ids
    }
    return {**rest, "to": ""} if subject.is_named_in(str(rest.get("to", ""))) else rest
