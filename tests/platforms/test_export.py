"""One export: the same again, no verdict of its own, and without what only grading needs."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest
from exports import ADA, BEN, CLEO, enroll, moodle_assignment, receive_without_place

from autograder.people import Person
from autograder.platforms.export import WRITERS


def test_an_export_again_is_the_same_to_the_byte(export):
    Path("sheet.csv").write_bytes(moodle_assignment().worksheet())
    seen = []
    for _ in range(2):
        export("moodle", "--sheet", "sheet.csv")
        folder = Path("results/sheet-3/export")
        seen.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert seen[0] == seen[1] and set(seen[0]) == {"moodle.csv", "moodle-feedback.zip"}


def test_exports_are_no_verdicts(export):
    for kind in ("csv", "canvas", "gradescope"):
        export(kind)
    assert len(list(Path("results/sheet-3").glob("*.json"))) == 3
    assert export("csv")[0] == 0


def test_an_export_needs_no_torch():
    code = "import sys, autograder.platforms.export; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize("kind", ["csv", "moodle", "gradescope"])
def test_a_verdict_that_cannot_be_written_keeps_no_other_out(export, monkeypatch, kind):
    """What makes a student's part raises for one of three."""

    def odd(result, *more):
        if result.points < 6 and result.id == "second_part":
            raise UnicodeEncodeError("utf-8", "\udcff", 0, 1, "odd")
        return really(result, *more)

    place = {
        "csv": "spreadsheet._check_rows",
        "moodle": "feedback.as_html",
        "gradescope": "gradescope._tests",
    }[kind]
    module, name = place.split(".")
    really = getattr(importlib.import_module(f"autograder.platforms.{module}"), name)
    monkeypatch.setattr(f"autograder.platforms.{place}", odd)
    Path("sheet.csv").write_bytes(moodle_assignment().worksheet())
    status, said = export(kind, *(["--sheet", "sheet.csv"] if kind == "moodle" else []))
    assert status == 3 and f"{BEN} is left out (UnicodeEncodeError" in said
    assert "-> results/sheet-3/export/" in said


@pytest.mark.parametrize("kind", WRITERS)
def test_what_was_received_and_not_placed_is_said(export, kind):
    enroll("moodle", {ADA: "1", BEN: "2", CLEO: "3"})
    receive_without_place(Person("", "Dan Token", platform="moodle", number="7"))
    status, said = export(kind, "--out", "exported")
    assert status == 0
    assert "received and not placed: 1 submission (Dan Token)" in said
    assert "`submitted/.received/sheet-3/not-placed.csv`" in said


def test_half_a_surrogate_pair_in_a_verdict_ends_no_export(export):
    path = Path(f"results/sheet-3/{CLEO}.json")
    path.write_text(path.read_text().replace("its JSON is damaged", "\\ud800"))
    Path("sheet.csv").write_bytes(moodle_assignment().worksheet())
    for words in (["csv"], ["gradescope"], ["moodle", "--sheet", "sheet.csv"]):
        status, said = export(*words)
        assert status == 0 and f"No grade for {CLEO}" in said and "\\ud800" in said
