"""Which row is which student: by number, login, address or name, and nobody's where there is a doubt."""

from pathlib import Path

import pytest
from exports import (
    ADA,
    BEN,
    COLUMN,
    ID,
    canvas_course,
    enroll,
    keep,
    moodle_assignment,
    rows,
    verdict,
)
from importers import ENGLISH

from autograder.people import Person, roster_path, write_roster
from autograder.platforms.matching import final_number, normalised


def test_two_rows_that_a_student_may_be_are_left_and_named(export):
    course = canvas_course()
    course.people["101"]["SIS Login ID"] = course.people["102"]["SIS User ID"] = ADA
    Path("sheet.csv").write_bytes(course.export())
    _, said = export("canvas", "--sheet", "sheet.csv")
    assert f"several rows or students may be meant: {ADA}." in said
    course.take(Path("results/sheet-3/export/canvas.csv").read_bytes())
    assert course.grades[COLUMN] == {"102": "7.5"}


def test_names_alone_find_people_and_are_named(export):
    enroll("moodle", {ADA: "1", BEN: "2"})
    header = b"LastName,FirstName,ID,SIS Login ID,Section,Sheet 3 (4711)\n"
    Path("sheet.csv").write_bytes(header + b"Softmax,Ada,101,x1,A,\nquery,BEN,102,x2,A,\n")
    _, said = export("canvas", "--sheet", "sheet.csv")
    assert f"Found by a name or the part before an @ only, so please look: {ADA}, {BEN}." in said
    assert [row[COLUMN] for row in rows("canvas.csv")] == ["10", "7.5"]


def test_a_row_that_a_number_has_taken_is_out_of_reach_for_a_name(export):
    people = [Person(ADA, "Ada Softmax", "", "canvas", "101"), Person(BEN, "Ada Softmax")]
    write_roster(roster_path(Path("submitted"), ID), people)
    course = canvas_course()
    course.people["102"]["SIS Login ID"] = "somebody"
    Path("sheet.csv").write_bytes(course.export())
    _, said = export("canvas", "--sheet", "sheet.csv")
    assert f"Not in the sheet: {BEN}." in said
    course.take(Path("results/sheet-3/export/canvas.csv").read_bytes())
    assert course.grades[COLUMN] == {"101": "10"}


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("platform", ["canvas", "moodle"])
def test_what_somebody_writes_before_an_at_is_a_guess(export, platform, there):
    """Ada has another address in the sheet, or no row: Mallory gets none of her points silently."""
    enroll("folder", {ADA: "", BEN: ""})
    evil = f"{ADA.upper()}@evil.example"
    if platform == "canvas":
        course = canvas_course()
        course.people["101"] |= {"SIS Login ID": "as12@uni.example"}
        course.people["105"] = {"Student": "Evil, M.", "SIS User ID": "S5", "SIS Login ID": evil}
        ada, content = "101", course.export
    else:
        course = moodle_assignment()
        course.people["2000"] |= {"email": "as12@uni.example"}
        course.people["2009"] = {"name": "M. Evil", "email": evil}
        ada, content = "2000", course.worksheet
    if not there:
        del course.people[ada]
    Path("sheet.csv").write_bytes(content())
    _, said = export(platform, "--sheet", "sheet.csv")
    words = "several rows or students may be" if there else "the part before an @ only"
    assert ADA in said.partition(words)[2].partition("\n")[0]
    people = [row for row in rows(f"{platform}.csv") if "Possible" not in str(row)]
    given = [row.get(COLUMN, row.get("Grade")) for row in people]
    assert given.count("10") == (0 if there else 1)


def test_a_login_by_its_heading_and_a_whole_address_are_sure(export):
    moodle = moodle_assignment(words=ENGLISH | {"Status": "Username"})
    enroll("folder", {ADA: "", BEN: ""})
    moodle.people["2000"] |= {"email": f"{BEN}@evil.example"}
    moodle.people["2001"] |= {"name": "Ada Softmax"}
    Path("sheet.csv").write_bytes(
        moodle.worksheet().replace(b"Submitted for grading", ADA.encode(), 1)
    )
    _, said = export("moodle", "--sheet", "sheet.csv")
    assert (
        ADA not in said.partition("please look")[2] and BEN not in said.partition("please look")[2]
    )
    assert [row["Grade"] for row in rows("moodle.csv")][:2] == ["10", "7.5"]


def test_letters_that_look_like_others_are_others():
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


@pytest.mark.parametrize(
    ("text", "number"),
    [("Participant 1234", "1234"), ("Teilnehmer/in0042", "42"), ("000", "0"), ("Ada 7x", "")],
)
def test_a_number_stands_at_the_end(text, number):
    assert final_number(text) == number


def test_spellings_of_one_name_are_one():
    assert normalised(" Zoe\u0308  MU\u0308LLER ") == normalised("zo\u00eb m\u00fcller")
