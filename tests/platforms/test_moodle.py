"""Moodle takes back its worksheet and the pages: nothing locked or newer is changed."""

import datetime
from pathlib import Path

import pytest
from exports import ADA, BEN, CLEO, ID, UNSCALED, enroll, enter, moodle_assignment, wrong
from importers import GERMAN


@pytest.mark.parametrize("words", [{}, {"words": GERMAN}], ids=["English", "German"])
def test_moodle_takes_back_its_worksheet_and_the_pages(export, words):
    moodle = moodle_assignment(**words)
    moodle.people["2003"] |= {"grade": 4.0, "comment": "Well."}
    Path("sheet.csv").write_bytes(moodle.worksheet())
    status, said = export("moodle", "--sheet", "sheet.csv")
    assert status == 0, said
    folder = Path("results/sheet-3/export")
    moodle.take((folder / "moodle.csv").read_bytes())
    assert [who.get("grade") for who in moodle.people.values()] == [10.0, 7.5, None, 4.0]
    assert UNSCALED.sentence in moodle.people["2001"]["comment"]
    assert "second part: 3.5 of 6" in moodle.people["2001"]["comment"]
    assert "its JSON is damaged" in moodle.people["2002"]["comment"]
    assert moodle.people["2003"]["comment"] == "Well."
    assert (b'"7,5"' if words else b",7.5,") in (folder / "moodle.csv").read_bytes()
    moodle.take_feedback((folder / "moodle-feedback.zip").read_bytes())
    assert {number: list(files) for number, files in moodle.files.items()} == {
        number: ["feedback.html"] for number in ("2000", "2001", "2002")
    }
    assert b"By which number?" in moodle.files["2001"]["feedback.html"]


def test_nbgraders_page_goes_back_where_there_is_one(export):
    Path("sheet.csv").write_bytes(moodle_assignment().worksheet())
    theirs = Path("feedback", ADA, ID, "sheet-3.html")
    theirs.parent.mkdir(parents=True)
    theirs.write_text("<p>nbgrader's</p>")
    export("moodle", "--sheet", "sheet.csv")
    moodle = moodle_assignment()
    moodle.take_feedback(Path("results/sheet-3/export/moodle-feedback.zip").read_bytes())
    assert moodle.files["2000"]["feedback.html"] == b"<p>nbgrader's</p>"
    assert b"nbgrader" not in moodle.files["2001"]["feedback.html"]


def test_without_a_sheet_moodle_gets_a_worksheet_from_the_roster(export):
    enroll("moodle", {ADA: "2000", BEN: "Participant 2001", CLEO: "2002"})
    status, said = export("moodle")
    assert status == 0 and "Made without a sheet" in said
    moodle = moodle_assignment()
    moodle.people["2001"] |= {"grade": 1.0, "modified": datetime.datetime(2026, 11, 3)}
    moodle.take(Path("results/sheet-3/export/moodle.csv").read_bytes())
    assert [who.get("grade") for who in moodle.people.values()] == [10.0, 1.0, None, None]


def test_grades_that_are_there_and_locked_rows_are_left_and_named(export):
    moodle = moodle_assignment()
    moodle.people["2000"] |= {"changeable": "No", "comment": "Locked."}
    moodle.people["2002"] |= {"grade": 6.0}
    Path("sheet.csv").write_bytes(moodle.worksheet())
    _, said = export("moodle", "--sheet", "sheet.csv")
    assert f"Left as the sheet has it: {ADA} (locked in Moodle), {CLEO} (6.00)." in said
    moodle.take(Path("results/sheet-3/export/moodle.csv").read_bytes())
    assert [who.get("grade") for who in moodle.people.values()] == [None, 7.5, 6.0, None]
    assert moodle.people["2000"]["comment"] == "Locked."


def test_grades_above_moodles_maximum_are_named(export):
    enter({ADA: 10.0, BEN: 7.5}, by_hand={ADA: 4.0}, penalty={})
    Path("sheet.csv").write_bytes(moodle_assignment().worksheet())
    _, said = export("moodle", "--sheet", "sheet.csv")
    assert f"Moodle passes over grades above its maximum: {ADA}." in said
    assert "is out of 10 points on the platform, these grades are out of 14" in said


def test_moodle_without_any_number_asks_for_the_sheet(export):
    assert "give --sheet" in wrong(export, "moodle")
