"""Records of one kind after another: a struct of msgspec for each, and a table for each kind.

    @stored_in("inquiries")
    class Inquiry(Struct, frozen=True):
        student: str
        ...

    add_records(results, "sheet-1", [Inquiry(...)])
    read_records(results, "sheet-1", Inquiry)

A field is a column: texts, numbers and truth values as they are, times as ISO 8601, anything else as
JSON. The table has a column for the assignment besides, and nothing needs to be registered: `student` and
`course records` find every such table in the database. A record whose field `student` is a student's id is
handed out and deleted with that student's data; what JSON has under a student's id is deleted. A kind that
is for staff alone is listed in `desk/student_data/record_rows.py`.
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
    """The class below the rows of such tables."""

    record_id: Mapped[int]
    assignment: Mapped[str]


ROWS: dict[type[msgspec.Struct], type[StructRow]] = {}
EARLIER: dict[type[msgspec.Struct], str] = {}


def stored_in(table: str, earlier: str = "") -> Callable[[type[Kind]], type[Kind]]:
    """Return a decorator: records of this type are stored in a table of this name. `earlier`: the file
    in an assignment's folder of results where earlier versions kept them, a line of JSON for each.
    """

    def decorate(kind: type[Kind]) -> type[Kind]:
        if taken := OWN & {*kind.__struct_fields__}:
            raise TypeError(f"{kind.__name__} has a field {min(taken)!r}, which every table has.")
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
    """Store these records, all or none. `results`: the folder of all results. Raises `AutograderError` if
    the course's records cannot be used.
    """
    records = [*records]
    for kind in {type(record) for record in records}:
        _import_earlier(results, assignment_id, kind)
    with open_records(results, write=True) as session:
        session.add_all(_row(assignment_id, record) for record in records)


def read_records(results: Path, assignment_id: str, kind: type[Kind]) -> list[Kind]:
    """Return the records of one kind on an assignment, in the order in which they were stored.

    `results`: the folder of all results. Raises `AutograderError` if the course's records cannot be used.
    """
    _import_earlier(results, assignment_id, kind)
    row, fields = ROWS[kind], kind.__struct_fields__
    query = select(row).where(row.assignment == assignment_id).order_by(row.record_id)
    with open_records(results) as session:
        return [
            msgspec.convert({name: getattr(one, name) for name in fields}, kind)
            for one in session.scalars(query)
        ]


def struct_tables(connection: Connection) -> list[Table]:
    """Return all such tables in the database, also of kinds that this process has not imported."""
    names = inspect(connection).get_table_names()
    tables = (Table(name, MetaData(), autoload_with=connection) for name in names)
    return [table for table in tables if NUMBER in table.c]


def import_earlier(results: Path) -> None:
    """Store what earlier versions have in files of each kind that this process knows.

    `results`: the folder of all results. Raises `AutograderError` if the course's records cannot be used.
    """
    there = files.entries(results, results) if files.kind_of(results, results) else []
    for folder in (one.name for one in there if one.kind == "folder"):
        for kind in EARLIER:
            _import_earlier(results, folder, kind)


def _row(assignment_id: str, record: msgspec.Struct) -> StructRow:
    row = ROWS[type(record)]()
    row.assignment = assignment_id
    for name, value in msgspec.to_builtins(record).items():
        setattr(row, name, _storable(value))
    return row


def _storable(value: Any) -> Any:
    """Return a value without what a database cannot store in a text."""
    if isinstance(value, str):
        return texts.without_halves(value).replace("\0", "\N{REPLACEMENT CHARACTER}")
    if isinstance(value, list):
        return [*map(_storable, value)]
    if isinstance(value, dict):
        return {_storable(name): _storable(one) for name, one in value.items()}
    return value


def _import_earlier(results: Path, assignment_id: str, kind: type[msgspec.Struct]) -> None:
    """Store what an earlier version has in a file, and remove the file. If this is interrupted, some
    records may be there twice, which means the same.
    """
    file = results / assignment_id / EARLIER[kind]
    if not EARLIER[kind] or files.kind_of(file, results) is None:
        return
    with open_records(results, write=True) as session:
        records = files.read_records(file, kind, results)
        session.add_all(_row(assignment_id, record) for record in records)
    file.unlink()
