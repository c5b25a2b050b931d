"""Gradescope, both ways."""

import json
import zipfile

from downloads import BOOK, METADATA, ours, standing, timestamp
from downloads import ID as DOWNLOADED
from exports import ADA, BEN, UNSCALED, enroll, enter

from autograder.people import Person, read_roster


def test_gradescope_names_everybody_who_handed_in_together(collect, into):
    top = "assignment_123_export"
    files = {f"{top}/submission_{n}/{BOOK}": ours(n) for n in (456, 457, 458)}
    status, said = collect({f"{top}/submission_metadata.yml": METADATA.encode()} | files)
    assert status == 3 and "`submission_458` is nobody's" in said
    assert standing(into) == {
        "0042": ours(456),
        "submission_456": ours(456),
        "submission_457": ours(457),
    }
    assert timestamp(into, "0042") == "2026-11-20 14:00:00 UTC"
    people = read_roster(into, DOWNLOADED)
    assert people["0042"] == Person("0042", "Ada Softmax", "ada@uni.example", "gradescope", "456")


def test_the_part_before_the_at_is_an_id_where_only_one_has_it(collect, into):
    metadata = METADATA.replace("ben@other.example", "cleo@uni.example")
    files = {f"e/submission_{n}/{BOOK}": ours(n) for n in (456, 457)}
    collect({"e/submission_metadata.yml": metadata.encode()} | files)
    assert set(standing(into)) == {"0042", "ben", "cleo"}


def test_gradescope_reads_each_results_json(export):
    enter({ADA: 10.0, BEN: 7.5}, by_hand={BEN: 3.0}, penalty={BEN: 1.0})
    enroll("gradescope", {ADA: "555", BEN: "../up"})
    assert export("gradescope")[0] == 0
    with zipfile.ZipFile("results/sheet-3/export/gradescope.zip") as archive:
        found = {name: json.loads(archive.read(name)) for name in archive.namelist()}
    assert set(found) == {"555/results.json", f"{BEN}/results.json"}
    ben = found[f"{BEN}/results.json"]
    assert ben["score"] == 9.5 and sum(test["max_score"] for test in ben["tests"]) == 14
    assert "late: 1 point less" in ben["output"]
    failed = next(test for test in ben["tests"] if test.get("status") == "failed")
    assert failed["name"] == "second part: values" and failed["output_format"] == "text"
    assert failed["output"] == f"By which number?\n{UNSCALED.sentence}"
    assert {test["visibility"] for test in ben["tests"]} == {"after_published"}
