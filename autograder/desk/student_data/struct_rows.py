"""One student's rows in the tables of single records (`classroom/records/structs.py`): also of tables
whose room this process has not imported.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import MetaData, Table, inspect, select
from sqlalchemy.orm import Session

from autograder.desk.student_data.parts import without_entries
from autograder.desk.student_data.subject import Subject

NUMBER = "record_id"


@dataclass(frozen=True)
class RecordPart:
    """What of a row of `table` is a student's: the whole row if `rest` is None, else what is changed
    where the student is taken out of it; {} if nothing is.
    """

    table: Table
    row: dict[str, Any]
    rest: dict[str, Any] | None

    def remove(self, records: Session) -> None:
        """Delete the row, or take the student out of it."""
        of_row = self.table.c[NUMBER] == self.row[NUMBER]
        if self.rest is None:
            records.execute(self.table.delete().where(of_row))
        elif self.rest:
            records.execute(self.table.update().where(of_row).values(self.rest))

    def names(self, subject: Subject) -> bool:
        """Whether what stays of the row says who the student is."""
        stays = {} if self.rest is None else self.row | self.rest
        return subject.is_named_in(" | ".join(map(str, stays.values())))


def record_parts(records: Session, subject: Subject) -> Iterator[RecordPart]:
    """Yield each row of such tables, with what of it is the student's."""
    connection = records.connection()
    for name in inspect(connection).get_table_names():
        if NUMBER not in [column["name"] for column in inspect(connection).get_columns(name)]:
            continue
        table = Table(name, MetaData(), autoload_with=connection)
        for found in records.execute(select(table).order_by(table.c[NUMBER])).mappings():
            row = dict(found)
            ids = subject.ids(row["assignment"])
            if row.get("student") in ids:
                yield RecordPart(table, row, None)
                continue
            rest = without_entries(row, subject, ids)
            yield RecordPart(table, row, {key: rest[key] for key in row if rest[key] != row[key]})
