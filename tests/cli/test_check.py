"""`check FILE`: what a saved notebook lacks, without running any of it."""

import json
import shutil

import pytest
from submissions import edit

from autograder.cli.main import main


@pytest.fixture
def file(small_course, tmp_path):
    """The small course's notebook with its solutions in it."""
    path = tmp_path / "mine.ipynb"
    shutil.copy(small_course.source / "small-sheet" / "small-sheet.ipynb", path)
    return path


@pytest.fixture
def check(small_course, capsys):
    """Run the command; return its status and what it printed and complained of."""

    def run(file, *words):
        status = main(["check", str(file), "--course", str(small_course.root), *words])
        return status, *capsys.readouterr()

    return run


def test_a_whole_notebook_is_fit_and_nothing_of_it_is_run(file, check, tmp_path):
    def touch(content):
        code = f"import pathlib; pathlib.Path({str(tmp_path / 'ran')!r}).touch()"
        for cell in content["cells"]:
            if cell["cell_type"] == "code":
                cell["source"] = f"{code}\n{''.join(cell['source'])}"

    edit(file, touch)
    status, out, _ = check(file)
    assert status == 0 and not (tmp_path / "ran").exists()
    assert out.startswith("small-sheet:\nWritten: 4 of 4 exercises. Nothing was run.")
    assert "written, not checked here" in out and out.endswith("No code was run.\n")


def test_the_release_itself_has_everything_to_do(small_course, check):
    status, out, _ = check(small_course.release / "small-sheet" / "small-sheet.ipynb")
    assert status == 1 and "To do: No exercise is answered yet." in out


def test_an_emptied_answer_is_not_written(file, small_course, check):
    shutil.copy(small_course.release / "small-sheet" / "small-sheet.ipynb", file)

    def empty(content):
        for cell in content["cells"]:
            if cell["id"] == "explain":
                cell["source"] = "".join(cell["source"]).replace("YOUR ANSWER HERE", "")

    edit(file, empty)
    assert "explain: still open" in check(file)[1]


def test_a_missing_cell_is_named(file, check):
    def take(content):
        content["cells"] = [cell for cell in content["cells"] if cell["id"] != "softmax"]

    edit(file, take)
    status, out, _ = check(file, "--assignment", "small-sheet")
    assert status == 1 and "`softmax`) is missing" in out


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("<!DOCTYPE html>", "is a web page"),
        ("{", "damaged"),
        (json.dumps({"cells": []}), "has no cell of any assignment of this course"),
    ],
)
def test_what_cannot_be_checked_is_said_in_a_line(content, said, check, tmp_path):
    (tmp_path / "x.ipynb").write_text(content)
    status, out, err = check(tmp_path / "x.ipynb")
    assert (status, out, err.count("\n")) == (2, "", 1) and said in err


def test_what_is_not_there_or_of_another_assignment_is_refused(assignment, check, tmp_path):
    status, _, err = check(tmp_path / "none.ipynb")
    assert status == 2 and "does not exist" in err and err.count("\n") == 1
    status, _, err = check(assignment.release, "--assignment", "small-sheet")
    assert status == 2 and "no cell of `small-sheet`" in err
    status, _, err = check(assignment.release, "--assignment", "none")
    assert status == 2 and "There is no assignment `none`" in err


@pytest.mark.parametrize("words", [(), ("--assignment", "begun")])
def test_a_damaged_source_is_named_where_its_assignment_may_be_meant(two, tmp_path, capsys, words):
    (two.source / "begun").mkdir()
    (two.source / "begun" / "begun.ipynb").write_text("{")
    cell = {"cell_type": "code", "id": "begin_here", "source": "", "metadata": {}}
    (tmp_path / "mine.ipynb").write_text(json.dumps({"cells": [cell]}))
    status = main(["check", str(tmp_path / "mine.ipynb"), "--course", str(two.root), *words])
    said = capsys.readouterr().err
    assert status == 1 and "begun.ipynb` cannot be released" in said and "no cell" not in said


def test_names_of_a_student_cannot_act_on_the_terminal(check, file):
    def rename(content):
        content["cells"].append(content["cells"][-1] | {"id": "softmax", "source": "\x1b[31m"})

    edit(file, rename)
    _, out, _ = check(file)
    assert "\x1b" not in out
