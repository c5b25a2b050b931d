"""`check FILE`: what a saved notebook lacks, without running any of it."""

import json
import shutil
from pathlib import Path

import pytest
from submissions import edit
from typed_commands import typed


@pytest.fixture
def file(small, tmp_path):
    """The small course's notebook with its solutions in it."""
    return shutil.copy(small.source, tmp_path / "mine.ipynb")


@pytest.fixture
def check(small, file):
    """Check it after a change of its cells; return the status and what was said."""

    def run(change=lambda cells: cells) -> tuple[int, str]:
        edit(file, lambda content: content.update(cells=change(content["cells"])))
        return typed("check", file, "--course", small.course.root)

    return run


def test_a_whole_notebook_is_fit_and_nothing_of_it_is_run(check, tmp_path):
    def touch(cells):
        code = f"import pathlib; pathlib.Path({str(tmp_path / 'ran')!r}).touch()"
        for cell in cells:
            if cell["cell_type"] == "code":
                cell["source"] = f"{code}\n{''.join(cell['source'])}"
        return cells

    status, said = check(touch)
    assert status == 0 and not (tmp_path / "ran").exists()
    assert said.startswith("small-sheet:\nWritten: 4 of 4 exercises. Nothing was run.")
    assert "written, not checked here" in said and said.endswith("No code was run.\n")


def test_what_is_to_do_or_missing_is_named_and_acts_on_no_terminal(small, file, check):
    def empty_and_remove(cells):
        for cell in cells:
            cell["source"] = "".join(cell["source"]).replace("YOUR ANSWER HERE", "")
        odd = {"cell_type": "code", "id": "rms_norm", "source": "\x1b[31m", "metadata": {}}
        return [cell for cell in cells if cell["id"] != "softmax"] + [odd]

    shutil.copy(small.release, file)
    status, said = check()
    assert status == 1 and "To do: No exercise is answered yet." in said
    status, said = check(empty_and_remove)
    assert status == 1 and "explain: still open" in said
    assert "`softmax`) is missing" in said and "\x1b" not in said


@pytest.mark.parametrize("words", [(), ("--assignment", "small-sheet")])
def test_a_notebook_without_ids_is_checked(words, small, file):
    def without_ids(content):
        for cell in content["cells"]:
            cell.pop("id")
            cell["metadata"] = {}

    edit(file, without_ids)
    status, output = typed("check", file, "--course", small.course.root, *words)
    assert status == 0 and "Written: 4 of 4 exercises" in output
    assert "The cell `softmax` had lost its id and was found by what it defines." in output


@pytest.mark.parametrize("words", [(), ("--assignment", "begun")])
def test_a_damaged_source_is_named_where_its_assignment_may_be_meant(two, tmp_path, words):
    (two.source / "begun").mkdir()
    (two.source / "begun" / "begun.ipynb").write_text("{")
    cell = {"cell_type": "code", "id": "begin_here", "source": "", "metadata": {}}
    (tmp_path / "mine.ipynb").write_text(json.dumps({"cells": [cell]}))
    status, said = typed("check", tmp_path / "mine.ipynb", "--course", two.root, *words)
    assert status == 1 and "begun.ipynb` cannot be released" in said and "no cell" not in said


def test_conflict_markers_are_named_with_their_line(small, file):
    lines = Path(file).read_text().splitlines()
    lines[3:3] = ["<<<<<<< HEAD", lines[2], "=======", lines[2], ">>>>>>> origin/main"]
    Path(file).write_text("\n".join(lines))
    status, printed = typed("check", file, "--course", small.course.root)
    assert status == 2 and printed.count("\n") == 1
    assert "git's conflict markers (`<<<<<<<` in line 4); keep one version there" in printed


def test_a_notebook_that_powershell_has_redirected_is_read(small, file):
    content = json.loads(Path(file).read_text())
    content["metadata"]["score"] = float("nan")
    Path(file).write_bytes(json.dumps(content).encode("utf-16"))
    status, printed = typed("check", file, "--course", small.course.root)
    assert status == 0 and "Written: 4 of 4 exercises." in printed
