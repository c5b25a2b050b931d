"""Split a file into a student's part and the rest. The bytes of the rest are unchanged."""

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
SHOWN = *COLUMNS, "group", "assignment", "submitted", "until", "counts"  # without staff's notes
PAGE = b"<!-- python -m autograder report: "  # the last line of a page
OF_REPORTS = ".class-report.json"  # beside the tables that `report` wrote, with their names


class FilePart(NamedTuple):
    """A student's part of a file, and the rest of it."""

    theirs: bytes = b""  # the student's part, empty for the whole file
    rest: bytes | None = None  # None: the file is deleted
    # whether it shows that the id is a student's: a marker's name in marks does not
    has_id: bool = False


Split = Callable[[CourseFile, Subject], FilePart | None]  # None: nothing is the student's


def whole(file: CourseFile, subject: Subject) -> FilePart | None:
    """Take the whole file, because its path names the student."""
    return FilePart(has_id=True)


def nothing(file: CourseFile, subject: Subject) -> FilePart | None:
    """Take nothing. `gradebook_rows.py` deletes rows of a database."""
    return None


def made(file: CourseFile, subject: Subject) -> FilePart | None:
    """Take the whole file if it names the student: it was made from others' data."""
    return FilePart() if subject.is_named_in(file.read()) else None


def reported(file: CourseFile, subject: Subject) -> FilePart | None:
    """Take a page or a table by `report` if it names the student."""
    names: Any = ()
    with suppress(OSError):
        names = (
            _decoded(files.read_regular(file.path.with_name(OF_REPORTS), MAX_BYTES, file.top)) or ()
        )
    return made(file, subject) if file.path.name in names or PAGE in file.read() else None


def imported(file: CourseFile, subject: Subject) -> FilePart | None:
    """Take the whole file: its content was imported into the records."""
    return FilePart()


def rows(file: CourseFile, subject: Subject) -> FilePart | None:
    """Take the student's rows of a table (CSV). In rows without an id, an address or a name
    decides. Raises `TableError` if the file is not a table.
    """
    data = file.read()
    table, code = files.table_in(data, file.label), UTF_16.get(data[:2], BYTES)
    raw = [*io.StringIO(data.decode(code), newline="")]
    cells_of, shown_cells = table.cells("student"), table.cells(*SHOWN)
    sheet_of = table.cells("assignment")
    student_rows, other_lines, begin, has_id = [table.header], [], 0, False
    for row, end in zip(table.rows, table.lines, strict=True):
        id = "".join(cells_of(row)).strip()
        ids = subject.ids(file.assignment or "".join(sheet_of(row)))
        if begin and (id in ids if id else subject.is_named_in(" | ".join(row))):
            student_rows.append(row)
            has_id |= id == subject.student
        else:
            other_lines += raw[begin:end]
        begin = end
    remaining = "".join([*other_lines, *raw[begin:]]).encode(code)
    return (
        FilePart(files.csv_text(map(shown_cells, student_rows)).encode(), remaining, has_id)
        if student_rows[1:]
        else None
    )


def lines(file: CourseFile, subject: Subject) -> FilePart | None:
    """Take the student's lines of JSON. Other lines only lose the entries under the student's id,
    and the address to which feedback on a group's submission was sent. A line that is not JSON goes
    if it names the student.
    """
    student_lines, other_lines, data = [], [], file.read()
    ids = subject.ids(file.assignment)
    for line in data.splitlines(keepends=True):
        parsed = _decoded(line)
        id = parsed.get("student") if isinstance(parsed, dict) else None
        if id is not None and id == subject.student:
            student_lines.append(line)
        if subject.is_named_in(line) if parsed is None else id in ids:
            continue
        remaining = without_entries(parsed, subject, ids)
        other_lines.append(line if remaining == parsed else msgspec.json.encode(remaining) + b"\n")
    stays = b"".join(other_lines)
    return None if stays == data else FilePart(b"".join(student_lines), stays, bool(student_lines))


def _decoded(line: bytes) -> Any:
    """Return a parsed line of JSON, None if it is not JSON."""
    with suppress(ValueError, RecursionError):
        return msgspec.json.decode(line)
    return None


def without_entries(value: Any, subject: Subject, ids: tuple[str, ...]) -> Any:
    """Return parsed JSON without the entries of these ids and without the student as receiver."""
    if isinstance(value, list):
        return [without_entries(member, subject, ids) for member in value if member not in ids]
    if not isinstance(value, dict):
        return value
    remaining = {
        name: without_entries(member, subject, ids)
        for name, member in value.items()
        if name not in ids
    }
    return (
        {**remaining, "to": ""} if subject.is_named_in(str(remaining.get("to", ""))) else remaining
    )
