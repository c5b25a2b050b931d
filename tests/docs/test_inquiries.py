"""The page on inquiries, followed from its first command to its last."""

import re

import pytest
from inquired import SHEET, fill
from typed_commands import TOP, blocks, type_in

pytestmark = [pytest.mark.database, pytest.mark.long]
SETTINGS = f"sheet={SHEET}\n"


def test_an_inquiry_comes_from_the_table_to_the_students_page(empty_book, monkeypatch):
    course = empty_book.assignment.course.root
    monkeypatch.chdir(course)
    fill(empty_book)
    page = (TOP / "docs" / "inquiries.md").read_text()
    (settings,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    with (course / "nbgrader_config.py").open("a") as file:
        file.write(settings.replace("encoder-layer", SHEET).replace("2026-12-01", "2020-12-01"))
    add, paste, decide, answer, tell = blocks("inquiries.md")
    table = (
        f"student,assignment,exercise,text,received\nada,{SHEET},explain,Why?,2026-12-02 10:00\n"
    )
    (course / "inquiries.csv").write_text(table)
    assert "1 inquiry recorded." in type_in(course, add, SETTINGS)
    any_time = paste.replace("add ", "add --at-any-time ", 1)  # whatever day it is
    assert "1 inquiry recorded." in type_in(course, any_time, SETTINGS)
    assert "Kim decides" in type_in(course, decide, SETTINGS)
    said = type_in(course, answer, SETTINGS)
    assert "changed from 1 to 1.5" in said and "kept at 1 of 2" in said
    assert "changed from 1 to 1.5" in type_in(course, tell, SETTINGS)
