"""`demo`: from a platform's download to the file that goes back, in a course that has only sources."""

import shutil

import pytest

from autograder.cli.main import main

pytestmark = [pytest.mark.walls, pytest.mark.database]


def test_the_demo_makes_whatever_it_says_that_there_is(small, tmp_path, capfd):
    shutil.copytree(small.course.root, tmp_path, dirs_exist_ok=True)
    shutil.rmtree(tmp_path / "release")
    words = ["demo", small.id, "--course", str(tmp_path)]
    assert main(words) == 0
    said = capfd.readouterr().out
    assert [f"{number}. " in said for number in range(1, 7)] == [True] * 6
    results = tmp_path / "demo" / "results" / small.id
    verdicts = {path.stem for path in results.glob("*.json")}
    assert len(verdicts) == 12 and (results / "export" / "moodle.csv").is_file()
    where = said.partition("Where to look:")[2].split()
    named = [word for word in where if word.startswith("demo/")]
    assert len(named) == 3 and all((tmp_path / word).exists() for word in named)


def test_a_folder_of_that_name_that_is_no_demo_is_kept(small, tmp_path, capfd):
    shutil.copytree(small.course.root, tmp_path, dirs_exist_ok=True)
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / "mine.txt").write_text("mine")
    assert main(["demo", small.id, "--course", str(tmp_path)]) == 2
    assert "is there and is no demo" in capfd.readouterr().err
    assert (tmp_path / "demo" / "mine.txt").read_text() == "mine"
