"""`course records`: the records of a course as tables for people."""

import json
from pathlib import Path
from typing import Any

import click
from sqlalchemy import Connection, Table, func, select

from autograder._commands import terminal
from autograder._commands.exit_status import FAILED, OK, Command
from autograder._commands.options import PATH
from autograder.classroom.records.database import Record, open_records
from autograder.classroom.records.received import StoredFile
from autograder.classroom.records.structs import struct_tables
from autograder.desk.commands.course_data import about_course, alone_in, refuse_existing
from autograder.engine import files, plural


@click.command(
    "records",
    short_help="what was received, marked, asked and sent, as tables",
    cls=Command,
    statuses={OK: "written, or not agreed to", FAILED: "the records cannot be used"},
)
@click.option(
    "--as", "form", type=click.Choice(("csv",)), default="csv", help="the kind of table (csv)"
)
@click.option("--to", type=PATH, required=True, metavar="DIR", help="a new folder for the tables")
@about_course
def records(form: str, to: Path, yes: bool, course: Path | None, gradebook: str | None) -> int:
    """Write each table of the course's records into the folder DIR: what was received and from whom,
    which submission counts, marks with their markers, inquiries, exports, feedback that went back.

    Contents of files are not in it; `submitted/` and `student export` have them. It is for staff, and
    nothing reads it.
    """
    refuse_existing(to)
    with alone_in(course, gradebook) as (root, _), open_records(root / "submitted") as session:
        tables = _tables(session.connection())
        count = select(func.count()).select_from
        sentences = [
            f"{table.name}: {plural(session.scalar(count(table)) or 0, 'row')}" for table in tables
        ]
        if not terminal.agreed(sentences, f"Write {to}?", yes):
            return OK
        to.mkdir()
        for table in tables:
            query = select(table).order_by(*table.primary_key)
            rows = [[_cell(value) for value in row] for row in session.execute(query)]
            with files.replacing(to / f"{table.name}.{form}") as file:
                file.write(files.csv_text([[*table.columns.keys()], *rows]))
    terminal.say(f"-> {to}")
    return OK


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value


def _tables(connection: Connection) -> list[Table]:
    """Return the tables of records, without the table of file contents."""
    record_tables = {table.name: table for table in struct_tables(connection)}
    other_tables = {
        name: table for name, table in Record.metadata.tables.items() if name not in record_tables
    }
    del other_tables[StoredFile.__tablename__]
    return [table for _, table in sorted((other_tables | record_tables).items())]
