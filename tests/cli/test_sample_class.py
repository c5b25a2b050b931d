"""`sample-class` on the command line."""

import pytest

from autograder.authoring.sample_download import LAYOUTS
from autograder.cli import sample_class as command
from autograder.cli.main import main


def test_the_command_offers_the_platforms_that_there_are():
    assert set(command.PLATFORMS) == LAYOUTS.keys()


def test_a_sample_class_fills_an_empty_folder_and_no_other(assignment, tmp_path, capfd):
    words = ["--assignment", assignment.id, "--students", "17", "--seed", "4"]
    assert main(["sample-class", str(tmp_path / "one"), *words]) == 0
    assert f"17 submissions of {assignment.id} are in" in capfd.readouterr().out
    assert main(["sample-class", str(tmp_path / "two"), *words]) == 0
    assert main(["sample-class", str(tmp_path / "one"), *words]) == 2
    assert "is not empty" in capfd.readouterr().err
    one, two = (
        {file.relative_to(top): file.read_bytes() for file in top.rglob("*.ipynb")}
        for top in (tmp_path / "one", tmp_path / "two")
    )
    assert len(one) == 17 and one == two


def test_a_class_of_another_course_is_made_from_there(small, tmp_path, capfd):
    words = ["--assignment", small.id, "--course", str(small.course.root), "--students", "3"]
    assert main(["sample-class", str(tmp_path / "class"), *words]) == 0
    assert len(list((tmp_path / "class").glob(f"*/{small.id}/{small.id}.ipynb"))) == 3


@pytest.mark.parametrize(
    "wrong", [["--students", "0"], ["--seed", "x"], ["--as", "blackboard"], ["--assignment", "no"]]
)
def test_wrong_usage_is_said_in_one_line(assignment, tmp_path, capfd, wrong):
    words = ["--assignment", assignment.id, *wrong]
    assert main(["sample-class", str(tmp_path / "class"), *words]) == 2
    assert capfd.readouterr().err.count("\n") == 1
    assert not (tmp_path / "class").exists()
