"""A table is read however a spreadsheet saved it, and no cell that is written is run."""

import csv
import io

import pytest

from autograder.engine.files import (
    NoTable,
    TableError,
    csv_text,
    decoded,
    delimiter_of,
    read_table,
    table_in,
)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_text_is_read_in_each_encoding_that_spreadsheets_write(encoding):
    assert decoded("student;Zoë\n".encode(encoding)) == "student;Zoë\n"


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


@pytest.mark.parametrize(
    ("encoding", "delimiter"), [("utf-8", ","), ("cp1252", ";"), ("utf-16", "\t")]
)
def test_records_have_cells_by_the_columns_names_and_the_line_in_the_file(encoding, delimiter):
    rows = ["Student ,Note,Name", "s1,'=x,Zoë", ",,", 's2,"two\nlines",Jürgen', "s3"]
    text = "\r\n".join(rows).replace(",", delimiter)
    assert table_in(text.encode(encoding), "roster.csv").records("student") == [
        (2, {"student": "s1", "note": "=x", "name": "Zoë"}),
        (5, {"student": "s2", "note": "two\nlines", "name": "Jürgen"}),
        (6, {"student": "s3", "note": "", "name": ""}),
    ]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "has no column `student`: it needs student, name"),
        (b"student\ns1\n", "has no column `name`"),
        (b"student,name\n\ns1,\x81", "is no text: save the table as CSV in UTF-8"),
        (b"PK\x03\x04", "is no CSV: download the table, or save it, as CSV"),
        (b'student,name\ns1,"Ada', "line 2: unexpected end of data; download or save it as CSV"),
    ],
)
def test_what_is_wrong_with_a_table_is_said_with_its_name(tmp_path, data, sentence):
    path = tmp_path / "roster.csv"
    path.write_bytes(data)
    with pytest.raises(TableError) as caught:
        read_table(path).records("student", "name")
    assert str(caught.value).startswith(f"`{path}`") and sentence in str(caught.value)


def test_a_table_is_a_regular_file_that_is_there(tmp_path):
    with pytest.raises(NoTable, match="There is no file"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(TableError, match="is no regular file"):
        read_table(tmp_path)
    (tmp_path / "long.csv").write_bytes(b"student\n")
    (tmp_path / "link.csv").symlink_to(tmp_path / "long.csv")
    with pytest.raises(TableError, match="is no regular file"):
        read_table(tmp_path / "link.csv", tmp_path)
