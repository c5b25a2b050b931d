"""What a grade is: a verdict's points, with the gradebook's where the two agree."""

from pathlib import Path

import pytest
from exports import (
    ADA,
    BEN,
    CLEO,
    DAN,
    ID,
    by_student,
    enroll,
    enter,
    keep,
    rows,
    verdict,
)
from nbgrader.api import Gradebook

from autograder.gradebook.grades import decimal_text

pytestmark = pytest.mark.slow


def test_a_grade_is_automatic_and_by_hand_less_what_being_late_costs(export):
    enter({ADA: 10.0, BEN: 7.5}, by_hand={ADA: 3.0}, penalty={ADA: 2.0, BEN: 50.0})
    status, said = export("csv")
    assert status == 0
    ada, ben = by_student()[ADA], by_student()[BEN]
    wanted = {"automatic": "10.0", "by_hand": "3.0", "late_penalty": "2.0", "total": "11.0"}
    assert wanted.items() <= ada.items()
    assert (ada["max_points"], ada["submitted"]) == ("14.0", "2026-11-02 09:30:00")
    assert (ben["total"], ben["to_mark_by_hand"]) == ("0.0", "1")
    assert f"1 written exercise of 1 student ({BEN})" in said
    assert by_student()[CLEO]["max_points"] == "14.0"  # also of what could not be read


def test_points_changed_by_hand_in_a_check_count(export):
    enter({ADA: 10.0}, by_hand={}, penalty={})
    with Gradebook("sqlite:///gradebook.db") as book:
        grade = book.find_grade("check", ID, ID, ADA)
        grade.manual_score, grade.extra_credit = 8.0, 0.5
        book.db.commit()
    export("csv")
    assert (by_student()[ADA]["by_hand"], by_student()[ADA]["total"]) == ("-1.5", "8.5")


def test_a_gradebook_that_holds_other_points_is_not_used_and_that_is_said(export):
    enter({ADA: 10.0, BEN: 3.0}, by_hand={ADA: 4.0, BEN: 4.0}, penalty={})
    _, said = export("csv")
    assert by_student()[BEN]["total"] == "7.5" and by_student()[BEN]["by_hand"] == ""
    assert (
        f"1 with automatic points only, of 10: the gradebook does not hold these points of {BEN}"
        in said
    )


@pytest.mark.parametrize(
    ("words", "why"),
    [([], "there is no gradebook yet"), (["--no-gradebook"], "the gradebook was left out")],
)
def test_without_a_gradebook_points_are_automatic_only_and_none_is_made(export, words, why):
    status, said = export("csv", *words)
    assert status == 0 and f"2 with automatic points only, of 10: {why}" in said
    assert not Path("gradebook.db").exists()


def test_a_gradebook_that_cannot_be_read_stops_the_export(export):
    Path("gradebook.db").write_text("no database")
    status, said = export("canvas")
    assert status == 1 and "The gradebook cannot be used" in said and "--no-gradebook" in said
    assert not Path("results/sheet-3/export").exists()


def test_what_is_no_zero_has_no_number_anywhere(export):
    keep(verdict(DAN, 0.0, "not_graded", reason="the worker was gone."))
    enroll("moodle", {ADA: "1", BEN: "2", CLEO: "3", DAN: "4"})
    for kind in ("csv", "moodle", "canvas", "gradescope"):
        status, said = export(kind)
        assert status == 0
        assert (
            f"No grade for {CLEO}. The submission could not be read: its JSON is damaged." in said
        )
        assert f"No grade for {DAN}. Not graded yet: the worker was gone." in said
    table = by_student()
    assert (table[CLEO]["total"], table[CLEO]["automatic"]) == ("", "")
    sheet = {row["Identifier"]: row for row in rows("moodle.csv")}
    assert sheet["Participant 4"]["Grade"] == ""
    assert "the worker was gone" in sheet["Participant 4"]["Feedback comments"]
    assert not {CLEO, DAN} & {row["SIS Login ID"] for row in rows("canvas.csv")}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("2026-11-20 15:00:00 UTC\n", "2026-11-20 15:00:00"),
        ("2026-11-20 15:00:00 CET\n", "2026-11-20 14:00:00"),
        ("root:x:0:0:root:/root:/bin/bash\n", ""),
        ("=HYPERLINK(1)", ""),
    ],
)
def test_a_timestamp_that_is_no_time_is_told_to_nobody(export, text, told):
    folder = Path("submitted", ADA, ID)
    folder.mkdir(parents=True)
    (folder / "timestamp.txt").write_text(text)
    assert export("csv")[0] == 0
    assert by_student()[ADA]["submitted"] == told


@pytest.mark.parametrize(
    ("points", "text"),
    [(17.5, "17.5"), (20.0, "20"), (0.0, "0"), (100.0, "100"), (1 / 3, "0.33333")],
)
def test_points_are_written_as_people_write_them(points, text):
    assert decimal_text(points) == text and decimal_text(points, comma=True) == text.replace(
        ".", ","
    )
