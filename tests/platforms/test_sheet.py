"""A downloaded table: which row is whose, changed in the cells that are meant and in nothing else."""

from pathlib import Path

import pytest
from exports import (
    ADA,
    BEN,
    CLEO,
    COLUMN,
    ID,
    canvas_course,
    enroll,
    keep,
    made,
    moodle_assignment,
    rows,
    verdict,
    wrong,
)
from importers import ENGLISH
from recorded import plant_people

from autograder.classroom.roster import Person
from autograder.engine import files
from autograder.gradebook.grades import Grade
from autograder.platforms.sheet import FilledSheet, normalised, read_sheet

pytestmark = pytest.mark.slow


def test_two_rows_that_a_student_may_be_are_left_and_named(export):
    course = canvas_course()
    course.people["103"] |= {"SIS User ID": ADA, "SIS Login ID": "somebody"}
    said = export.into(course)
    assert f"several rows or students may be meant: {ADA}." in said
    assert course.grades[COLUMN] == {"102": "7.5"}


def test_names_alone_find_people_and_are_named(export):
    enroll("moodle", {ADA: "1", BEN: "2"})
    header = b"LastName,FirstName,ID,SIS Login ID,Section,Sheet 3 (4711)\n"
    Path("sheet.csv").write_bytes(header + b"Softmax,Ada,101,x1,A,\nquery,BEN,102,x2,A,\n")
    _, said = export("canvas", "--sheet", "sheet.csv")
    assert f"Found by a name or the part before an @ only, so please look: {ADA}, {BEN}." in said
    assert [row[COLUMN] for row in rows("canvas.csv")] == ["10", "7.5"]


def test_a_name_that_two_students_bear_finds_nobody(export):
    """Not even where the number of one has taken the row."""
    people = [Person(ADA, "Ada Softmax", "", "canvas", "101"), Person(BEN, "Ada Softmax")]
    plant_people(Path("submitted"), ID, people)
    course = canvas_course()
    course.people["102"]["SIS Login ID"] = "somebody"
    said = export.into(course)
    assert f"several rows or students may be meant: {BEN}." in said
    assert course.grades[COLUMN] == {"101": "10"}


@pytest.mark.parametrize("there", [True, False])
def test_an_address_that_begins_with_an_id_gets_no_points_in_canvas(export, there):
    """Ada has another address in the sheet, or no row. Mallory's address begins with Ada's id."""
    enroll("folder", {ADA: "", BEN: ""})
    course = canvas_course()
    course.people["101"] |= {"Student": "Softmax, A.", "SIS Login ID": "as12@uni.example"}
    evil = f"{ADA.upper()}@evil.example"
    course.people["105"] = {"Student": "Evil, M.", "SIS User ID": "S5", "SIS Login ID": evil}
    if not there:
        del course.people["101"]
    assert f"Not in the sheet: {ADA}." in export.into(course)
    assert course.grades[COLUMN] == {"102": "7.5"}


def test_a_login_by_its_heading_and_a_whole_address_are_sure(export):
    moodle = moodle_assignment(words=ENGLISH | {"Status": "Username"})
    enroll("folder", {ADA: "", BEN: ""})
    moodle.people["2000"] |= {"email": f"{BEN}@evil.example"}
    moodle.people["2001"] |= {"name": "Ada Softmax"}
    Path("sheet.csv").write_bytes(
        moodle.export().replace(b"Submitted for grading -  - ", ADA.encode(), 1)
    )
    _, said = export("moodle", "--sheet", "sheet.csv")
    assert (
        ADA not in said.partition("please look")[2] and BEN not in said.partition("please look")[2]
    )
    assert [row["Grade"] for row in rows("moodle.csv")][:2] == ["10", "7.5"]


def test_a_row_that_two_students_may_be_is_left_and_named(export):
    """Each by a text of its own that is sure."""
    course = canvas_course()
    del course.people["102"]
    course.people["101"] |= {"SIS User ID": ADA, "SIS Login ID": BEN}
    course.people["103"] |= {"SIS Login ID": CLEO}
    enroll("folder", {ADA: "", BEN: ""})
    said = export.into(course)
    assert f"several rows or students may be meant: {ADA}, {BEN}." in said
    assert course.grades[COLUMN] == {}


def test_a_name_has_several_spellings_and_a_letter_has_none():
    assert normalised(" Zoe\u0308  MU\u0308LLER ") == normalised("zo\u00eb m\u00fcller")
    assert normalised("ſoftmax") != normalised("softmax")
    assert normalised("\uff41da") != normalised("ada")


def test_a_login_is_no_address_in_another_domain(export):
    course = canvas_course()
    course.people["102"]["SIS Login ID"] = f"{BEN}@elsewhere.example"
    Path("sheet.csv").write_bytes(course.export())
    keep(verdict(f"{BEN}@uni.example", 7.5))
    Path("results", ID, f"{BEN}.json").unlink()
    _, said = export("canvas", "--sheet", "sheet.csv")
    assert f"Not in the sheet: {BEN}@uni.example." in said


def test_a_sheet_of_other_students_or_with_rows_twice_is_refused(export):
    moodle = moodle_assignment()
    moodle.people = {"1": {"name": "Zoe Head", "email": "zoe@uni.example"}}
    Path("sheet.csv").write_bytes(moodle.export())
    assert "is of other students" in wrong(export, "moodle", "--sheet", "sheet.csv")
    content = canvas_course().export()
    Path("sheet.csv").write_bytes(content + content.splitlines(keepends=True)[3])
    assert "several rows with the ID `101`" in wrong(export, "canvas", "--sheet", "sheet.csv")


OURS = "Grade", "Feedback comments"
ODD_NAME = '=HYPERLINK("a";1),\n-\u202e\t@ \x1b[2J'


def test_people_stay_as_the_platform_has_them_and_our_words_are_no_formula(export):
    """By its own columns a platform finds people again, so they are given back as they came."""
    keep(verdict(CLEO, 0.0, "unreadable", reason="`a&=1;-2\u202e` is none."))
    enroll("moodle", {ADA: "2000", CLEO: "2002"})
    moodle = moodle_assignment()
    moodle.people["2000"] |= {"name": ODD_NAME, "email": "=1@uni.example"}
    canvas = canvas_course()
    canvas.people["101"] |= {"Student": ODD_NAME, "SIS User ID": "-7"}
    for platform, content in (("moodle", moodle.export()), ("canvas", canvas.export())):
        Path("sheet.csv").write_bytes(content)
        assert export(platform, "--sheet", "sheet.csv")[0] == 0
        before = read_sheet(Path("sheet.csv"))
        after = read_sheet(Path(f"results/sheet-3/export/{platform}.csv"))
        shared = [name for name in after.header if name not in (COLUMN, *OURS)]
        kept = [before.cells(*shared)(row) for row in before.rows]
        assert all(after.cells(*shared)(row) in kept for row in after.rows)
        assert any(row[after.column("Grade", "Sheet 3 (4711)")] == "10" for row in after.rows)
    moodle.take(made("moodle.csv"))
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
    assert sheet.to_bytes() == text.encode()
    plain = text.removeprefix("\ufeff")
    for encoding in ("cp1252", "utf-16"):  # as Windows saves it
        (tmp_path / "sheet.csv").write_bytes(plain.encode(encoding))
        written = read_sheet(tmp_path / "sheet.csv").to_bytes()
        assert written.decode("utf-8-sig") == plain


def test_rows_of_another_length_are_named(tmp_path):
    (tmp_path / "sheet.csv").write_text("Name,Grade\nAda,1\nBen\n")
    with pytest.raises(files.TableError, match="line 3: there are 1 cells, and 2 in the header"):
        read_sheet(tmp_path / "sheet.csv")


@pytest.mark.parametrize(
    ("before", "after", "replaced"),
    [("", "7.5", 0), ("-", "7.5", 0), ("7.50", "7.50", 0), ("7,5", "7,5", 0), ("6", "7.5", 1)],
)
def test_a_grade_is_entered_where_another_number_stands(before, after, replaced):
    filled, row = FilledSheet(files.Table([["Grade"]])), [before]
    filled.enter(Grade(Person(BEN), verdict(BEN, 7.5)), row, 0)
    assert row == [after] and (filled.entered, filled.replaced) == (1, replaced)
