"""`demo`: from a platform's download to the file that goes back, in a course that has only sources."""

import json
import shutil

import pytest
from nbgrader.api import Gradebook
from skeletons import SHEET

from autograder.cli.main import main
from autograder.engine.assignment import find_assignment

pytestmark = [pytest.mark.walls, pytest.mark.database]

BOTH = SHEET, "small-sheet"


@pytest.mark.long
def test_the_demo_of_all_makes_what_it_says_and_keeps_assignments_apart(two, capfd, monkeypatch):
    monkeypatch.setattr("autograder.cli.demo.STUDENTS", 3)
    shutil.rmtree(two.release)
    assert main(["demo", "--course", str(two.root)]) == 0
    said = capfd.readouterr().out
    assert [f"{number}. " in said for number in range(1, 8)] == [True] * 7
    where = said.partition("Where to look:")[2].split()
    named = [word for word in where if word.startswith("demo/")]
    assert len(named) == 7 and all((two.root / word).exists() for word in named)
    exercises = {one: {each.id for each in find_assignment(one, two).exercises} for one in BOTH}
    people = set()
    for id in BOTH:
        results = two.root / "demo" / "results" / id
        verdicts = {path.stem: json.loads(path.read_text()) for path in results.glob("*.json")}
        graded = [one for one in verdicts.values() if one["state"] == "graded"]
        assert len(verdicts) == 3 and {one["assignment"] for one in verdicts.values()} == {id}
        assert all({each["id"] for each in one["exercises"]} == exercises[id] for one in graded)
        assert (results / "grades.csv").is_file() and (results / "export" / "moodle.csv").is_file()
        pages = {page.parts[-3] for page in two.root.glob(f"demo/feedback/*/{id}/{id}.html")}
        assert pages == {one["student"] for one in graded}
        people.add(frozenset(verdicts))
    assert len(people) == 1  # the same students in both
    with Gradebook(f"sqlite:///{two.root}/demo/gradebook.db") as book:
        assert {one.name: one.num_submissions for one in book.assignments} == dict.fromkeys(BOTH, 3)
    assert (
        main(
            [
                "export",
                str(two.root / "demo/results"),
                "--format",
                "csv",
                "--course",
                str(two.root / "demo"),
            ]
        )
        == 0
    )
    assert capfd.readouterr().out.count("3 with what was marked by hand") == 2


def test_a_folder_of_that_name_that_is_no_demo_is_kept(small, tmp_path, capfd):
    shutil.copytree(small.course.root, tmp_path, dirs_exist_ok=True)
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / "mine.txt").write_text("mine")
    assert main(["demo", small.id, "--course", str(tmp_path)]) == 2
    assert "is there and is no demo" in capfd.readouterr().err
    assert (tmp_path / "demo" / "mine.txt").read_text() == "mine"
