"""`release` on the command line."""

import shutil
from pathlib import Path

import pytest

from autograder.authoring import publish
from autograder.cli.main import main
from autograder.engine.assignment import find_assignment

pytestmark = pytest.mark.slow  # nbgrader and kernels


def test_a_release_that_was_never_made_is_made_and_noticed_before(
    assignment, copied_course, capsys
):
    shutil.rmtree(copied_course.release)
    words = [assignment.id, "--course", str(copied_course.root)]
    copied = find_assignment(assignment.id, copied_course)
    assert [one.count("is not made yet") for one in publish.check_release(copied)] == [1]
    assert main(["release", *words]) == 0 and publish.check_release(copied) == []
    made = copied.release.parent
    assert content(made).keys() and capsys.readouterr().err == ""
    assert {path.relative_to(made): data for path, data in content(made).items()} == {
        path.relative_to(assignment.release.parent): data
        for path, data in content(assignment.release.parent).items()
    }


def test_a_failed_release_leaves_the_old_one(assignment, copied_course, monkeypatch, capsys):
    monkeypatch.setattr(publish, "leaks", lambda path: ["it leaks"])
    before = content(copied_course.release)
    assert main(["release", assignment.id, "--course", str(copied_course.root)]) == 1
    assert content(copied_course.release) == before
    assert "it leaks" in capsys.readouterr().err


@pytest.mark.parametrize("words", [[], ["--solution"]])
def test_an_unknown_assignment_is_said_to_be_unknown(words, capsys):
    assert main(["release", "decoder", *words]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def content(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
