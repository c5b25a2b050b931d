"""The tables for people: a row for each check, and no cell that a spreadsheet runs."""

import csv
import io
import re
from pathlib import Path

from exports import ADA, BEN, ID, UNSCALED, rows
from hypothesis import given
from hypothesis import strategies as st
from recorded import plant_people

from autograder.classroom.roster import Person
from autograder.platforms.spreadsheet import table_bytes

FORMULA = re.compile("\\s*[=+\\-@\uff1d\uff0b\uff0d\uff20]")


def test_each_check_has_a_row_with_its_mistakes(export):
    export("csv")
    row = next(row for row in rows("checks.csv") if row["student"] == BEN and row["passed"] == "no")
    assert row["exercise"] == "second_part" and row["check"] == "test_values"
    assert (row["check_points"], row["points"]) == ("3.5", "3.5")
    assert (row["mistakes"], row["sentences"]) == (UNSCALED.id, UNSCALED.sentence)
    assert row["message"] == "By which number?"


ODD = st.text(
    st.sampled_from("=+-@'; \t\r\n\x00\x1bab,\"\u200b\u202e\uff1d\ufeff\ud800"), max_size=12
)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@given(rows=st.lists(st.tuples(ODD | st.text(max_size=30), NUMBERS)))
def test_whatever_a_cell_says_a_table_has_its_rows_and_no_formula(rows):
    written = table_bytes(["text", "number"], rows).decode()
    assert written.count("\n") == written.count("\r\n") == len(rows) + 1
    _, *read = csv.reader(io.StringIO(written, newline=""), strict=True)
    assert [float(number) for _, number in read] == [number for _, number in rows]
    for text, _ in read:
        assert not FORMULA.match(text) and all(c.isprintable() for c in text), text


def test_a_name_that_is_a_formula_stays_a_name(export):
    person = Person(ADA, "=HYPERLINK(1)", "+x@uni.example", "moodle", "1")
    plant_people(Path("submitted"), ID, [person])
    for kind, table, column in (
        ("csv", "students.csv", "name"),
        ("moodle", "moodle.csv", "Full name"),
        ("moodle", "moodle.csv", "Email address"),
        ("canvas", "canvas.csv", "Student"),
    ):
        assert export(kind)[0] == 0
        assert any(row[column].startswith("'") for row in rows(table)), column
