"""Canvas takes back its gradebook: nothing emptied, nobody else's grade."""

import csv
import io
from pathlib import Path

import pytest
from exports import ADA, BEN, CLEO, COLUMN, canvas_course, enroll, wrong


@pytest.mark.parametrize(("delimiter", "bom"), [(",", False), (";", True)])
def test_canvas_takes_back_its_gradebook_with_one_column_filled(export, delimiter, bom):
    course = canvas_course(u109="2")
    Path("sheet.csv").write_bytes(course.export(delimiter, bom))
    status, said = export("canvas", "--sheet", "sheet.csv")
    assert status == 0, said
    made = Path("results/sheet-3/export/canvas.csv").read_bytes()
    before, after = (
        list(csv.reader(io.StringIO(text.decode()), delimiter=delimiter))
        for text in (course.export(delimiter, bom), made)
    )
    place = before[0].index(COLUMN)
    assert [row[:place] + row[place + 1 :] for row in before] == [
        row[:place] + row[place + 1 :] for row in after
    ]
    course.take(made)
    assert course.changed == [(COLUMN, "101", "10"), (COLUMN, "102", "7.5")]


def test_the_roster_says_who_is_who_in_canvas(export):
    enroll("canvas", {ADA: "102", BEN: "101"})
    course = canvas_course()
    Path("sheet.csv").write_bytes(course.export())
    export("canvas", "--sheet", "sheet.csv")
    course.take(Path("results/sheet-3/export/canvas.csv").read_bytes())
    assert course.grades[COLUMN] == {"102": "10", "101": "7.5"}


def test_a_grade_in_canvas_is_kept_where_we_have_none(export):
    course = canvas_course(u101="EX", u102="6", u103="8")
    Path("sheet.csv").write_bytes(course.export())
    _, said = export("canvas", "--sheet", "sheet.csv")
    assert f"Left as the sheet has it: {ADA} (EX), {CLEO} (8)." in said
    assert "1 had another grade in the sheet" in said
    course.take(Path("results/sheet-3/export/canvas.csv").read_bytes())
    assert course.changed == [(COLUMN, "102", "7.5")]


def test_a_column_that_is_not_clear_is_asked_for(export):
    content = canvas_course().export().replace(COLUMN.encode(), b"Quiz (4711)")
    Path("sheet.csv").write_bytes(content)
    status, said = export("canvas", "--sheet", "sheet.csv")
    assert status == 2 and said.count("\n") == 1
    assert "`Warm-up (17)`, `Quiz (4711)`" in said and "--column" in said
    for name in ("Quiz (4711)", "Quiz", "4711"):
        assert export("canvas", "--sheet", "sheet.csv", "--column", name)[0] == 0
    assert export("canvas", "--sheet", "sheet.csv", "--column", "Final Score")[0] == 2


def test_without_a_sheet_canvas_gets_a_table_of_those_with_a_grade(export):
    enroll("canvas", {ADA: "101", BEN: "102", CLEO: "103"})
    assert export("canvas", "--column", "Sheet 3")[0] == 0
    course = canvas_course(u103="8")
    course.take(Path("results/sheet-3/export/canvas.csv").read_bytes())
    assert course.grades[COLUMN] == {"101": "10", "102": "7.5", "103": "8"}


def test_a_read_only_column_is_no_candidate(export):
    course = canvas_course()
    course.possible[COLUMN] = "(read only)"
    Path("sheet.csv").write_bytes(course.export())
    said = wrong(export, "canvas", "--sheet", "sheet.csv", "--column", COLUMN)
    assert said.endswith("one of these: `Warm-up (17)`.\n")
