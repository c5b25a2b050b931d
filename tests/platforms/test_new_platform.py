"""A new platform is one record: everything that names platforms reads it."""

import csv
import importlib
import pkgutil

import pytest
from downloads import BOOK, COURSE, ID, collect_words, ours, standing, timestamp, zipped
from exports import export_collected
from platforms.campus import RECORD

from autograder import platforms
from autograder._commands.main import main
from autograder.classroom.roster import read_roster
from autograder.platforms.registry import PLATFORMS, RECORDS


def test_every_platforms_record_has_its_row():
    names = [one.name for one in pkgutil.iter_modules(platforms.__path__)]
    modules = [importlib.import_module(f"autograder.platforms.{name}") for name in names]
    found = {one.RECORD.name for one in modules if hasattr(one, "RECORD")}
    assert found == {one.name for one in RECORDS}


@pytest.fixture
def campus(monkeypatch):
    monkeypatch.setitem(PLATFORMS, RECORD.name, RECORD)


def test_a_class_goes_there_and_back(campus, tmp_path, into):
    zip_file = tmp_path / "class.zip"
    zip_file.write_bytes(zipped({f"Ada Softmax ({n})/{BOOK}": ours(n) for n in range(4711, 4716)}))
    assert main(["collect", str(zip_file), *collect_words(into), "--timezone", "UTC"]) == 0
    people = read_roster(into, ID)
    assert len(standing(into)) == 5 and standing(into).keys() == people.keys()
    assert all(timestamp(into, student).startswith("2026-11-") for student in people)
    for _ in range(2):  # the second takes the place of the first
        out = ["--out", str(tmp_path / "mine.csv")]
        export_collected(into, "campus", dict.fromkeys(people, 7.5), *out)
    with (tmp_path / "mine.csv").open(newline="", encoding="utf-8") as file:
        found = {row["number"]: row["points"] for row in csv.DictReader(file)}
    assert found == {person.number: "7.5" for person in people.values()}


@pytest.mark.parametrize("command", ["collect", "export"])
def test_the_command_line_offers_it(campus, capfd, command):
    assert main([command, "--help"]) == 0
    assert "campus" in capfd.readouterr().out


def test_what_it_lacks_is_not_offered(capfd, tmp_path):
    words = ["--as", "folder", "--course", str(COURSE)]
    assert main(["sample-class", str(tmp_path / "class.zip"), *words]) == 2
    assert "'folder' is not one of 'moodle'" in capfd.readouterr().err
