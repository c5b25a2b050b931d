"""`export` from the command line: what is wrong is said in a sentence, with its exit status."""

import json
from pathlib import Path

import msgspec
import pytest
from exports import (
    ADA,
    BEN,
    CLEO,
    DAN,
    ID,
    by_student,
    canvas_course,
    keep,
    moodle_assignment,
    verdict,
    wrong,
)

from autograder.cli import export as command
from autograder.cli.main import main
from autograder.people import roster_path
from autograder.platforms.export import WRITERS


def test_the_command_offers_the_formats_that_there_are():
    assert set(command.FORMATS) == WRITERS.keys()


def test_results_that_are_not_there_are_wrong_usage(class_folder, capfd):
    Path("empty").mkdir()
    for folder, sentence in (
        ("nowhere", "There is no folder"),
        ("empty", "No verdicts are in"),
    ):
        assert main(["export", folder, "--format", "csv"]) == 2
        said = capfd.readouterr().err
        assert sentence in said and said.count("\n") == 1


def also_sheet_4() -> None:
    keep(msgspec.structs.replace(verdict(ADA, 10.0), assignment="sheet-4"))


@pytest.mark.parametrize("format", ["csv", "canvas", "gradescope"])
def test_several_assignments_are_each_exported_to_a_place_of_their_own(export, format):
    also_sheet_4()
    status, said = export(format)
    files = {path.parts[1] for path in Path("results").glob("*/export/*")}
    assert status == 0 and files == {"sheet-3", "sheet-4"}
    assert "sheet-3: 2 grades from 3" in said and "sheet-4: 1 grades from 1" in said


def test_one_of_several_assignments_can_be_named_by_option_or_folder(export, capfd):
    also_sheet_4()
    assert "No verdicts of `decoder`" in wrong(export, "csv", "--assignment", "decoder")
    assert export("csv", "--assignment", "sheet-4")[0] == 0
    assert Path("results/sheet-4/export/students.csv").exists()
    assert main(["export", "results/sheet-3", "--format", "canvas"]) == 0
    assert "-> results/sheet-3/export/canvas.csv" in capfd.readouterr().out
    both = ["--assignment", "sheet-3"]
    assert main(["export", "results/sheet-3", "--format", "canvas", *both]) == 0
    assert main(["export", "results/sheet-4", "--format", "canvas", *both]) == 2


@pytest.mark.parametrize("option", ["--out", "--sheet", "--column"])
def test_what_is_of_one_assignment_is_refused_for_several(export, option):
    also_sheet_4()
    said = wrong(export, "canvas", option, "mine")
    assert option in said and "one of sheet-3, sheet-4" in said


def test_within_the_results_of_one_assignment_it_is_known(export, monkeypatch, capfd):
    monkeypatch.chdir("results/sheet-3")
    words = ["--course", "../..", "--submitted", "../../submitted"]
    assert main(["export", ".", "--format", "csv", *words]) == 0
    assert Path("export/students.csv").is_file()


def test_a_damaged_verdict_is_named_and_the_others_go_on(export):
    Path("results", ID, f"{BEN}.json").write_text('{"schema": 1')
    Path("results", ID, f"{DAN}.json").write_text(json.dumps(verdict(ADA, 7.0).to_json()))
    status, said = export("csv")
    assert status == 3 and set(by_student()) == {ADA, CLEO}
    assert f"{BEN}.json` is no verdict" in said and f"is the verdict on {ADA}'s" in said


def test_sheets_that_do_not_fit_are_refused_in_a_sentence(export):
    Path("moodle.csv").write_bytes(moodle_assignment().worksheet())
    Path("canvas.csv").write_bytes(canvas_course().export())
    assert "no gradebook from Canvas" in wrong(export, "canvas", "--sheet", "moodle.csv")
    assert "there is no column `Grade` or `Bewertung`" in wrong(
        export, "moodle", "--sheet", "canvas.csv"
    )
    assert "There is no sheet" in wrong(export, "moodle", "--sheet", "nowhere.csv")
    assert "--sheet is for" in wrong(export, "csv", "--sheet", "moodle.csv")
    assert "--column is for" in wrong(export, "moodle", "--column", "x")
    for content, sentence in (
        (b"PK\x03\x04", "is no CSV"),
        (b"Identifier,Grade\n\x81,1\n", "is no text"),
        (moodle_assignment().worksheet()[:-20], "is damaged"),
        (b"Identifier\n", "has no rows"),
        (b"", "has no rows"),
    ):
        Path("bad.csv").write_bytes(content)
        assert sentence in wrong(export, "moodle", "--sheet", "bad.csv")


def test_a_course_or_gradebook_that_is_none_is_wrong_usage(export):
    assert "is no nbgrader course" in wrong(export, "csv", "--course", "results")
    assert "There is no gradebook" in wrong(export, "csv", "--gradebook", "sqlite:///nowhere.db")
    assert "address cannot be read" in wrong(export, "csv", "--gradebook", "nowhere.db")


def test_a_roster_that_is_none_is_said(export):
    path = roster_path(Path("submitted"), ID)
    path.parent.mkdir(parents=True)
    path.write_text("who,what\nx,y\n")
    assert "has no column `student`" in wrong(export, "canvas")
