"""One export: where it goes, the same again, no verdict of its own, without what only grading needs."""

from dataclasses import replace
from pathlib import Path

import pytest
from exports import (
    ADA,
    BEN,
    CLEO,
    by_student,
    canvas_course,
    enroll,
    moodle_assignment,
    receive_without_place,
    wrong,
)

from autograder.classroom.roster import Person
from autograder.platforms.registry import PLATFORMS, formats

pytestmark = pytest.mark.slow


def test_an_export_again_is_the_same_to_the_byte(export):
    Path("sheet.csv").write_bytes(moodle_assignment().export())
    enroll("moodle", {ADA: "2000", BEN: "2001"})
    seen = []
    for _ in range(2):
        export("moodle", "--sheet", "sheet.csv")
        folder = Path("results/sheet-3/export")
        seen.append({path.name: path.read_bytes() for path in folder.glob("moodle*")})
    assert seen[0] == seen[1] and set(seen[0]) == {"moodle.csv", "moodle-feedback.zip"}


def test_exports_are_no_verdicts(export):
    for kind in ("csv", "canvas", "gradescope"):
        export(kind)
    assert len(list(Path("results/sheet-3").glob("*.json"))) == 3
    assert export("csv")[0] == 0


def test_a_grade_that_cannot_be_written_keeps_no_other_out(export, monkeypatch):
    def part(grade, of_class):
        if grade.student == BEN:
            raise UnicodeEncodeError("utf-8", "\udcff", 0, 1, "odd")
        return csv.format.part(grade, of_class)

    csv = PLATFORMS["csv"]
    monkeypatch.setitem(PLATFORMS, "csv", replace(csv, format=replace(csv.format, part=part)))
    status, said = export("csv")
    assert status == 3 and "-> results/sheet-3/export/" in said
    assert f"{BEN} is left out: the grade cannot be written for csv (UnicodeEncodeError" in said
    assert by_student().keys() == {ADA, CLEO}


@pytest.mark.parametrize("kind", formats())
def test_what_was_received_and_not_placed_is_said(export, kind):
    enroll("moodle", {ADA: "1", BEN: "2", CLEO: "3"})
    receive_without_place(Person("", "Dan Token", platform="moodle", number="7"))
    status, said = export(kind, "--out", "exported")
    assert status == 0
    assert "No grade for what is unmatched: 1 submission (Dan Token)" in said
    assert "`unmatched-sheet-3.csv`" in said


def test_half_a_surrogate_pair_in_a_verdict_ends_no_export(export):
    path = Path(f"results/sheet-3/{CLEO}.json")
    path.write_text(path.read_text().replace("its JSON is damaged", "\\ud800"))
    Path("sheet.csv").write_bytes(moodle_assignment().export())
    enroll("moodle", {CLEO: "2002"})
    for words in (["csv"], ["gradescope"], ["moodle", "--sheet", "sheet.csv"]):
        status, said = export(*words)
        assert status == 0 and f"No grade for {CLEO}" in said and "\\ud800" in said


def test_nothing_but_an_earlier_export_is_replaced(export):
    sheet = canvas_course().export()
    Path("sheet.csv").write_bytes(sheet)
    assert "is what you downloaded" in wrong(
        export, "canvas", "--sheet", "sheet.csv", "--out", "sheet.csv"
    )
    assert Path("sheet.csv").read_bytes() == sheet
    Path("thesis.csv").write_text("chapter,pages\n1,20\n")
    assert "no earlier export" in wrong(export, "csv", "--out", "thesis.csv")
    assert "makes a .csv file" in wrong(export, "csv", "--out", f"results/sheet-3/{ADA}.json")
    for _ in range(2):
        assert export("csv", "--out", "mine.csv")[0] == 0
    assert {path.name for path in Path().glob("mine*")} == {"mine.csv", "mine-checks.csv"}


def test_a_place_that_cannot_be_written_is_said(export):
    Path("file").write_text("x")
    status, said = export("csv", "--out", "file/here")
    assert status == 1 and said.count("\n") == 1 and "file/here" in said
