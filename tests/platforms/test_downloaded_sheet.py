"""A downloaded table is changed in the cells that are meant, and in nothing else."""

from pathlib import Path

import pytest
from exports import ADA, CLEO, canvas_course, enroll, keep, moodle_assignment, verdict, wrong

from autograder.platforms.downloaded_sheet import (
    FilledSheet,
    Sheet,
    number_in,
    read_sheet,
    write_sheet,
)
from autograder.platforms.errors import ExportError


def test_a_sheet_of_other_students_or_with_rows_twice_is_refused(export):
    moodle = moodle_assignment()
    moodle.people = {"1": {"name": "Zoe Head", "email": "zoe@uni.example"}}
    Path("sheet.csv").write_bytes(moodle.worksheet())
    assert "is of other students" in wrong(export, "moodle", "--sheet", "sheet.csv")
    content = canvas_course().export()
    Path("sheet.csv").write_bytes(content + content.splitlines(keepends=True)[3])
    assert "several rows with the ID `101`" in wrong(export, "canvas", "--sheet", "sheet.csv")


ODD_NAME = '=HYPERLINK("a";1),\n-\u202e\t@ \x1b[2J'


def test_people_stay_as_the_platform_has_them_and_our_words_are_no_formula(export):
    """By its own columns a platform finds people again, so they are given back as they came."""
    keep(verdict(CLEO, 0.0, "unreadable", reason="`a&=1;-2\u202e` is none."))
    enroll("moodle", {ADA: "2000", CLEO: "2002"})
    moodle = moodle_assignment()
    moodle.people["2000"] |= {"name": ODD_NAME, "email": "=1@uni.example"}
    canvas = canvas_course()
    canvas.people["101"] |= {"Student": ODD_NAME, "SIS User ID": "-7"}
    for platform, content in (("moodle", moodle.worksheet()), ("canvas", canvas.export())):
        Path("sheet.csv").write_bytes(content)
        assert export(platform, "--sheet", "sheet.csv")[0] == 0
        before = read_sheet(Path("sheet.csv"))
        after = read_sheet(Path(f"results/sheet-3/export/{platform}.csv"))
        assert after.header == before.header and len(after.rows) == len(before.rows)
        ours = {before.column("Grade", "Sheet 3 (4711)"), before.column("Feedback comments")}
        for old, new in zip(before.rows, after.rows, strict=True):
            assert [cell for i, cell in enumerate(new) if i not in ours] == [
                cell for i, cell in enumerate(old) if i not in ours
            ]
        assert any(row[after.column("Grade", "Sheet 3 (4711)")] == "10" for row in after.rows)
    moodle.take(Path("results/sheet-3/export/moodle.csv").read_bytes())
    assert moodle.people["2000"]["grade"] == 10
    said = moodle.people["2002"]["comment"]
    assert said.startswith("No grade: ") and "a&amp;'=1;'-2\\u202e` is none." in said


@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_sheet_is_written_as_it_was_read(tmp_path, bom, newline, delimiter):
    lines = [["Name", "Grade"], ["Zo\u00eb", '"two\nlines"'], ["", "-"]]
    text = bom + "".join(delimiter.join(line) + newline for line in lines)
    (tmp_path / "sheet.csv").write_bytes(text.encode())
    sheet = read_sheet(tmp_path / "sheet.csv")
    assert sheet.rows == [["Name", "Grade"], ["Zo\u00eb", "two\nlines"], ["", "-"]]
    write_sheet(tmp_path / "written.csv", sheet)
    assert (tmp_path / "written.csv").read_bytes() == text.encode()


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16"])
def test_a_sheet_that_a_spreadsheet_saved_on_windows_goes_back_in_utf_8(tmp_path, encoding):
    text = "Name;Grade\r\nZoë Groß;-\r\n"
    (tmp_path / "sheet.csv").write_bytes(text.encode(encoding))
    sheet = read_sheet(tmp_path / "sheet.csv")
    assert sheet.rows[1] == ["Zoë Groß", "-"]
    write_sheet(tmp_path / "written.csv", sheet)
    assert (tmp_path / "written.csv").read_bytes().decode("utf-8-sig") == text


def test_rows_of_another_length_are_named(tmp_path):
    (tmp_path / "sheet.csv").write_text("Name,Grade\nAda,1\nBen\n")
    with pytest.raises(ExportError, match="row 3 has 1 cells, the header has 2"):
        read_sheet(tmp_path / "sheet.csv")


def test_a_column_is_found_by_the_first_of_its_names():
    sheet = Sheet([["ID", " grade ", "Bewertung", "GRADE"]])
    assert sheet.column("Bewertung", "Grade") == 2
    assert sheet.column("Grade", "Bewertung") == 1
    assert sheet.column("Section") is None


@pytest.mark.parametrize(
    ("cells", "commas"), [(["7,5"], True), (["7.5", "", "-"], False), (["Query, Ben"], False)]
)
def test_a_decimal_comma_is_one_between_digits(cells, commas):
    assert Sheet([["Grade"], *([cell] for cell in cells)]).has_commas(0, None) is commas


@pytest.mark.parametrize(
    ("before", "after", "replaced"),
    [("", "7.5", 0), ("-", "7.5", 0), ("7.50", "7.50", 0), ("7,5", "7,5", 0), ("6", "7.5", 1)],
)
def test_a_grade_is_entered_where_another_number_stands(before, after, replaced):
    filled, row = FilledSheet(Sheet([["Grade"]])), [before]
    filled.enter(row, 0, 7.5)
    assert row == [after] and (filled.entered, filled.replaced) == (1, replaced)


@pytest.mark.parametrize(("cell", "number"), [("7,5", 7.5), (" 7.5 ", 7.5), ("EX", None)])
def test_a_number_is_read_with_point_or_comma(cell, number):
    assert number_in(cell) == number
