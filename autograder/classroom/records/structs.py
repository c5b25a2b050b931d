"""Store msgspec structs as records, with a table for each kind.

    @stored_in("inquiries")
    class Inquiry(Struct, frozen=True):
        student: str
        ...

    add_records(results, "sheet-1", [Inquiry(...)])
    read_records(results, "sheet-1", Inquiry)

A field is a column: texts, numbers and truth values as they are, times as ISO 8601, other values as JSON.
The table also has a column for the assignment. `student` and `course records` find every such table in the
database without registration. A record whose field `student` is a student's id is exported and deleted with
that student's data. JSON entries under a student's id are deleted, too. Kinds for staff alone are listed in
`desk/student_data/record_rows.py`.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

import msgspec
from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
    Float,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    inspect,
    select,
)
from sqlalchemy.orm import Mapped

from autograder.classroom.records.database import Record, open_records
from autograder.engine import files, texts

TYPES = {str: Text, datetime: Text, bool: Boolean, int: Integer, float: Float}
NUMBER = "record_id"
OWN = {NUMBER, "assignment"}  # columns of every table
Kind = TypeVar("Kind", bound=msgspec.Struct)


class StructRow:
    """Base class of the rows of such tables."""

    record_id: Mapped[int]
    assignment: Mapped[str]


ROWS: dict[type[msgspec.Struct], type[StructRow]] = {}
EARLIER: dict[type[msgspec.Struct], str] = {}


def stored_in(table: str, earlier: str = "") -> Callable[[type[Kind]], type[Kind]]:
    """Return a decorator that stores records of this type in a table of this name. `earlier`: the
    file in an assignment's folder of results with records of earlier versions, a line of JSON for
    each.
    """

    def decorate(kind: type[Kind]) -> type[Kind]:
        if reserved := OWN & {*kind.__struct_fields__}:
            raise TypeError(
                f"{kind.__name__} has a field {min(reserved)!r}, which every table has."
            )
        hints = get_type_hints(kind)
        fields: list[Column] = [
            Column(name, TYPES.get(hints[name], JSON)) for name in kind.__struct_fields__
        ]
        number = Column(NUMBER, Integer, primary_key=True)
        assignment = Column("assignment", String(255), index=True)
        row = type(f"{kind.__name__}Row", (StructRow,), {})
        columns = Table(table, Record.metadata, number, assignment, *fields)
        Record.registry.map_imperatively(row, columns)
        ROWS[kind], EARLIER[kind] = row, earlier
        return kind

    return decorate


def add_records(results: Path, assignment_id: str, records: Iterable[msgspec.Struct]) -> None:
    """Store these records, all or none. Raises `AutograderError` for unusable records."""
    records = [*records]
    for kind in {type(record) for record in records}:
        _import_earlier(results, assignment_id, kind)
    with open_records(results, write=True) as session:
        session.add_all(_row(assignment_id, record) for record in records)


def read_records(results: Path, assignment_id: str, kind: type[Kind]) -> list[Kind]:
    """Return the records of a kind on an assignment, in their order of storage.

    `results`: the folder of all results. Raises `AutograderError` if the course's records are
    unusable.
    """
    _import_earlier(results, assignment_id, kind)
    row, fields = ROWS[kind], kind.__struct_fields__
    query = select(row).where(row.assignment == assignment_id).order_by(row.record_id)
    with open_records(results) as session:
        return [
            msgspec.convert({name: getattr(stored, name) for name in fields}, kind)
            for stored in session.scalars(query)
        ]


def struct_tables(connection: Connection) -> list[Table]:
    """Return all such tables in the database, also of kinds that this process has not imported."""
    names = inspect(connection).get_table_names()
    tables = (Table(name, MetaData(), autoload_with=connection) for name in names)
    return [table for table in tables if NUMBER in table.c]


def import_earlier(results: Path) -> None:
    """Import the files of earlier versions, for each kind in this process.

    `results`: the folder of all results. Raises `AutograderError` if the course's records are
    unusable.
    """
    entries = files.entries(results, results) if files.kind_of(results, results) else []
    for folder in (entry.name for entry in entries if entry.kind == "folder"):
        for kind in EARLIER:
            _import_earlier(results, folder, kind)


def _row(assignment_id: str, record: msgspec.Struct) -> StructRow:
    row = ROWS[type(record)]()
    row.assignment = assignment_id
    for name, value in msgspec.to_builtins(record).items():
        setattr(row, name, _storable(value))
    return row


def _storable(value: Any) -> Any:
    """Replace characters that a database cannot store in a text."""
    if isinstance(value, str):
        return texts.without_halves(value).replace("\0", "\N{REPLACEMENT CHARACTER}")
    if isinstance(value, list):
        return [*map(_storable, value)]
    if isinstance(value, dict):
        return {_storable(name): _storable(part) for name, part in value.items()}
    return value


def _import_earlier(results: Path, assignment_id: str, kind: type[msgspec.Struct]) -> None:
    """Import and remove an earlier version's file. Duplicates after interruptions are harmless."""
    file = results / assignment_id / EARLIER[kind]
    if not EARLIER[kind] or files.kind_of(file, results) is None:
        return
    with open_records(results, write=True) as session:
        records = files.read_records(file, kind, results)
        session.add_all(_row(assignment_id, record) for record in records)
    file.unlink()
