"""The commands of the page on students' data, typed in a course with somebody to be deleted."""

import zipfile
from pathlib import Path

import pytest
from planted_student import ZEB, naming
from typed_commands import blocks, type_in

pytestmark = [pytest.mark.database, pytest.mark.long]


def test_each_command_does_what_the_page_says(tmp_path, planted_course):
    records, export, delete, archive = blocks("student-data.md")
    type_in(planted_course, records)
    assert ZEB in (tmp_path / "records" / "given_marks.csv").read_text()
    student = f"student={ZEB}\n"
    type_in(planted_course, export, student)
    Path(f"{ZEB}.zip").rename(tmp_path / "handed-out.zip")
    type_in(planted_course, delete, student)
    assert naming() == []
    type_in(planted_course, archive)
    assert all(zipfile.is_zipfile(tmp_path / f"{name}.zip") for name in ("semester", "points"))
