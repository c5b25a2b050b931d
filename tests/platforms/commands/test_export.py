"""`export` from the command line: which assignments, and what of them is damaged."""

import json
from pathlib import Path

import pytest
from exports import ADA, BEN, CLEO, DAN, ID, by_student, keep, verdict
from msgspec.structs import replace
from typed_commands import typed


@pytest.fixture
def of_two(class_folder) -> Path:
    """A course with results of two assignments."""
    keep(replace(verdict(ADA, 10.0), assignment="sheet-4"))
    return class_folder


@pytest.mark.parametrize("format", ["csv", "canvas", "gradescope"])
def test_several_assignments_are_each_exported_to_a_place_of_their_own(of_two, format):
    status, said = typed("export", "results", "--format", format)
    files = {path.parts[1] for path in Path("results").glob("*/export/*")}
    assert status == 0 and files == {"sheet-3", "sheet-4"}
    assert "sheet-3: 2 grades from 3" in said and "sheet-4: 1 grade from 1" in said


@pytest.mark.parametrize(
    "words",
    [
        ["results", "--assignment", "sheet-4"],
        ["results/sheet-4"],
        ["results/sheet-4", "--assignment", "sheet-4"],
    ],
    ids=" ".join,
)
def test_one_of_several_assignments_can_be_named_by_option_or_folder(of_two, words):
    status, said = typed("export", *words, "--format", "csv")
    assert status == 0 and "-> results/sheet-4/export/students.csv" in said
    assert [path.name for path in Path("results").glob("*/export")] == ["export"]


def test_within_the_results_of_one_assignment_it_is_known(of_two, monkeypatch):
    monkeypatch.chdir("results/sheet-3")
    words = ["--course", "../..", "--submitted", "../../submitted"]
    assert typed("export", ".", "--format", "csv", *words)[0] == 0
    assert Path("export/students.csv").is_file()


def test_a_damaged_verdict_is_named_and_the_others_go_on(class_folder):
    Path("results", ID, f"{BEN}.json").write_text('{"schema": 1')
    Path("results", ID, f"{DAN}.json").write_text(json.dumps(verdict(ADA, 7.0).to_json()))
    status, said = typed("export", "results", "--format", "csv")
    assert status == 3 and set(by_student()) == {ADA, CLEO}
    assert f"{BEN}.json` is no verdict" in said and f"is the verdict on {ADA}'s" in said
