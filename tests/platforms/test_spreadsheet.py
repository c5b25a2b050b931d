"""The tables for people: a row for each check, and no cell that a spreadsheet runs."""

import csv
import re
from pathlib import Path

import pytest
from exports import ADA, BEN, ID, UNSCALED, rows
from hypothesis import given
from hypothesis import strategies as st

from autograder.people import Person, roster_path, write_roster
from autograder.platforms.spreadsheet import (
    _BEGINS,
    _BORDER,
    _CONTROL,
    CHECKS,
    STUDENTS,
    escape_formulas,
    write_table,
)

ESCAPED = re.compile(f"{_BORDER}'(?={_BEGINS})|\\A'(?={_CONTROL})")


def unescape_formulas(text: str) -> str:
    """Return the text that `escape_formulas` was given."""
    return ESCAPED.sub("", text)


def test_each_check_has_a_row_with_its_mistakes(export):
    export("csv")
    row = next(row for row in rows("checks.csv") if row["student"] == BEN and row["passed"] == "no")
    assert row["exercise"] == "second_part" and row["check"] == "test_values"
    assert (row["check_points"], row["points"]) == ("3.5", "3.5")
    assert (row["mistakes"], row["sentences"]) == (UNSCALED.id, UNSCALED.sentence)
    assert row["message"] == "By which number?"


@pytest.mark.parametrize(
    "cell",
    [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        "\rx",
        " =1",
        "\u00a0-1",
        "\uff1dcmd",
        "\u200b=1",
        "fine;=1+1",
        "line\n=1+1",
        "'=1",
        "\ufeff=1",
    ],
)
def test_no_cell_begins_like_a_formula(cell):
    made = escape_formulas(cell)
    assert unescape_formulas(made) == cell
    for piece in made.replace("\r", "\n").replace(";", "\n").split("\n"):
        assert not piece.strip(" \t\u00a0\u200b\ufeff").startswith(tuple("=+-@\uff1d")), made


NASTY = st.text(st.sampled_from("=+-@'; \t\r\n\x00ab,\"\u200b\uff1d\ufeff")) | st.text(max_size=30)


@given(NASTY)
def test_neutralised_text_is_the_text_again(text):
    assert unescape_formulas(escape_formulas(text)) == text
    assert (
        not escape_formulas(text).lstrip().startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠"))
    )


@given(cells=st.lists(st.tuples(NASTY, st.floats(allow_nan=False, allow_infinity=False))))
def test_a_table_reads_back_as_it_was(tmp_path_factory, cells):
    path = tmp_path_factory.getbasetemp() / "table.csv"
    write_table(path, ["text", "number"], cells)
    with path.open(encoding="utf-8", newline="") as file:
        (_, *read) = csv.reader(file, strict=True)
    assert [(unescape_formulas(text), float(number)) for text, number in read] == cells


def test_a_name_that_is_a_formula_stays_a_name(export):
    person = Person(ADA, "=HYPERLINK(1)", "+x@uni.example", "moodle", "1")
    write_roster(roster_path(Path("submitted"), ID), [person])
    for kind, table, column in (
        ("csv", "students.csv", "name"),
        ("moodle", "moodle.csv", "Full name"),
        ("moodle", "moodle.csv", "Email address"),
        ("canvas", "canvas.csv", "Student"),
    ):
        assert export(kind)[0] == 0
        assert any(row[column].startswith("'") for row in rows(table)), column


def test_the_tables_headers_name_each_column_once():
    assert len(set(STUDENTS)) == len(STUDENTS) and len(set(CHECKS)) == len(CHECKS)
