"""`course records`: every table, for people; and a table that nobody here has heard of."""

import csv
from datetime import UTC, datetime
from pathlib import Path

import pytest
from exports import ADA, ID
from msgspec import Struct
from planted_student import SUBMITTED, ZEB, student
from recorded import plant_roster
from typed_commands import typed

from autograder.classroom.records import add_records, read_records, stored_in
from autograder.classroom.roster import Person

pytestmark = pytest.mark.database


@stored_in("seat_changes")
class SeatChange(Struct, frozen=True):
    student: str
    seats: list[str]
    at: datetime


def test_all_tables_are_written_and_one_of_somebody_elses_is_a_students_data_too(planted_course):
    at = datetime(2026, 12, 1, 12, tzinfo=UTC)
    changes = [SeatChange(who, ["A1", "\ud800"], at) for who in (ZEB, ADA)]
    add_records(Path("results"), ID, changes)
    assert typed("course", "records", "--to", "../tables", "--yes")[0] == 0
    tables = {path.stem: path for path in Path("../tables").iterdir()}
    assert {"inquiries", "given_marks", "exports", "received_submissions"} <= tables.keys()
    with tables["seat_changes"].open(newline="") as file:
        rows = [*csv.DictReader(file)]
    assert [row["student"] for row in rows] == [ZEB, ADA] and rows[0]["seats"] == '["A1", "?"]'
    status, said = typed("course", "records", "--to", "../tables", "--yes")
    assert status == 2 and "is there" in said
    assert student("delete", ZEB, "--yes")[0] == 0
    plant_roster(SUBMITTED, ID, [Person("seats", "Sea Ts")])  # an id like the name of a column
    assert student("delete", "seats", "--yes")[0] == 0
    (left,) = read_records(Path("results"), ID, SeatChange)
    assert left == SeatChange(ADA, ["A1", "?"], at)
