"""A table is read however a spreadsheet saved it, and no cell that is written is run."""

import csv
import io

import pytest

from autograder.files.csv_text import csv_text, decoded, delimiter_of


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_text_is_read_in_each_encoding_that_spreadsheets_write(encoding):
    assert decoded("student;Zoë\n".encode(encoding)) == "student;Zoë\n"


def test_what_is_no_text_is_refused():
    with pytest.raises(UnicodeDecodeError):
        decoded(b"\x81\x8d")


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [("a,b\n1;2;3", ","), ("a;b,c;d\n", ";"), ("a\tb", "\t"), ("student", ",")],
    ids=["commas", "semicolons", "tabs", "one column"],
)
def test_the_first_line_says_what_stands_between_cells(text, delimiter):
    assert delimiter_of(text) == delimiter


def test_what_is_written_is_read_as_it_was_and_formulas_are_texts():
    rows = [["name", "points"], ['a "b", c', 1.5], ["=1+1", None]]
    text = csv_text(rows)
    assert text.endswith("\r\n") and text.count("\r\n") == 3
    read = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    assert read == [["name", "points"], ['a "b", c', "1.5"], ["'=1+1", ""]]
