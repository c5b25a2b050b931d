"""A student's rows in the tables of single records (`classroom/records/structs.py`), including
tables of modules that are not imported.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Table, select
from sqlalchemy.orm import Session

from autograder.classroom.records.structs import NUMBER, struct_tables
from autograder.desk.student_data.parts import without_entries
from autograder.desk.student_data.subject import Subject


@dataclass(frozen=True)
class RecordPart:
    """A student's part of a row: the whole row if `rest` is None, else the changed columns."""

    table: Table
    row: dict[str, Any]
    rest: dict[str, Any] | None

    def remove(self, records: Session) -> None:
        """Delete the row, or only the student's data in it."""
        of_row = self.table.c[NUMBER] == self.row[NUMBER]
        if self.rest is None:
            records.execute(self.table.delete().where(of_row))
        elif self.rest:
            records.execute(self.table.update().where(of_row).values(self.rest))

    def names(self, subject: Subject) -> bool:
        """Whether the rest of the row names the student."""
        stays = {} if self.rest is None else self.row | self.rest
        return subject.is_named_in(" | ".join(map(str, stays.values())))


def record_parts(records: Session, subject: Subject) -> Iterator[RecordPart]:
    """Yield each row of such tables with the student's part."""
    for table in struct_tables(records.connection()):
        for record in records.execute(select(table).order_by(table.c[NUMBER])).mappings():
            row = dict(record)
            ids = subject.ids(row["assignment"])
            if row.get("student") in ids:
                yield RecordPart(table, row, None)
                continue
            remaining = {name: without_entries(value, subject, ids) for name, value in row.items()}
            if subject.is_named_in(str(row.get("to", ""))):  # where feedback was sent
                remaining["to"] = ""
            changed = {name: value for name, value in remaining.items() if value != row[name]}
            yield RecordPart(table, row, changed)
