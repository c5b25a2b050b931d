"""`matrix` on the command line: its tables, and what its exit status says."""

import re

import pytest
from submissions import edit

from autograder.authoring.rows import all_rows
from autograder.cli.main import main
from autograder.engine.mistake import mistakes

KINDS = "right", "mistake"


@pytest.mark.walls
def test_the_command_prints_and_writes_its_tables(assignment, tmp_path, capsys, monkeypatch):
    rows = all_rows(assignment)
    some = [row for row in rows if row.exercises <= {"feed_forward"} and row.kind in KINDS]
    monkeypatch.setattr(
        "autograder.authoring.kill_matrix.all_rows", lambda *_: some[:1] + some[-4:]
    )
    words = ["--jobs", "1", "--seeds", "0", "--composed", "0", "--into", str(tmp_path)]
    status = main(["matrix", assignment.id, *words])
    said = capsys.readouterr().out
    assert status == 1 and "names no mistake" in said  # most are left out here
    assert "constructor_never_begins" in said and "caught and named" in said
    assert (tmp_path / "matrix.csv").read_text().count("\n") == 6


@pytest.mark.long
@pytest.mark.walls
def test_a_matrix_without_a_fault_ends_well(small, tmp_path, capsys):
    words = ["--course", str(small.course.root), "--seeds", "0", "--into", str(tmp_path)]
    words += ["--composed", "3", "--seed", "7"]
    assert main(["matrix", small.id, "--jobs", "1", *words]) == 0
    said = capsys.readouterr().out
    assert "8 mistakes, 1 pairs, 7 correct submissions" in said and "--seed 7" in said
    assert re.search(r"composed +6 +3 +3 +0 +1.000 +1.000", said)


@pytest.mark.long
@pytest.mark.walls
def test_a_matrix_of_one_exercise_has_its_rows_checks_and_margins_only(
    small, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    words = ["--course", str(small.course.root), "--seeds", "1", "--jobs", "1", "--composed", "0"]
    assert main(["matrix", small.id, "--exercise", "softmax", *words]) == 0
    assert "rms_norm" not in capsys.readouterr().out
    tables = tmp_path / "matrix" / small.id / "softmax"
    rows = [line.split(",")[0] for line in (tables / "matrix.csv").read_text().splitlines()]
    assert rows[:3] == ["row", "the solution", "softmax: by_torch"] and len(rows) == 5
    assert "rms_norm" not in (tables / "matrix.csv").read_text()
    assert "rms_norm" not in (tables / "margins.csv").read_text()


@pytest.mark.walls
def test_a_matrix_of_one_mistake_has_each_of_its_ways_and_no_other(assignment, tmp_path, capsys):
    mistake = next(one for one in mistakes(assignment) if len(one.cells) == 3)
    words = ["--mistake", mistake.id, "--exercise", mistake.exercise, "--into", str(tmp_path)]
    assert main(["matrix", assignment.id, *words, "--seeds", "0", "--jobs", "1"]) == 0
    said = capsys.readouterr().out
    rows = [line.split(",")[0] for line in (tmp_path / "matrix.csv").read_text().splitlines()]
    first = f"{mistake.exercise}: {mistake.id}"
    ways = [f"{first} ({number})" for number in range(2, len(mistake.cells) + 1)]
    alone, pairs = rows[: 2 + len(mistake.cells)], rows[2 + len(mistake.cells) :]
    assert alone == ["row", "the solution", first, *ways] and all(first in pair for pair in pairs)
    assert f"{mistake.id} (2)" in said and "Nothing WRONG" in said and "variants with" not in said


def test_a_matrix_of_a_mistake_that_is_not_there_is_refused(small, capsys):
    known = mistakes(small)[0].id
    words = ["--course", str(small.course.root), "--mistake", f"{known}s"]
    assert main(["matrix", small.id, *words]) == 2
    assert (
        f"There is no mistake `{known}s` in `{small.id}`. Did you mean `{known}`"
        in capsys.readouterr().err
    )


def test_a_matrix_of_an_exercise_that_is_not_there_is_refused(small, capsys):
    words = ["--course", str(small.course.root), "--exercise", "encoder"]
    assert main(["matrix", small.id, *words]) == 2
    assert "There is no exercise `encoder` in `small-sheet`." in capsys.readouterr().err


@pytest.mark.walls
def test_a_variant_that_fails_is_told_once_and_with_the_reason(copied, tmp_path, capsys):
    with (copied.graders / "variants" / "softmax.py").open("a") as file:
        file.write("\n\n# %% wrong\ndef softmax(scores):\n    return scores.softmax(dim=0)\n")
    words = ["--course", str(copied.course.root), "--into", str(tmp_path / "tables")]
    words += ["--composed", "0"]
    assert main(["matrix", copied.id, "--exercise", "softmax", "--jobs", "1", *words]) == 1
    (line,) = (one for one in capsys.readouterr().out.splitlines() if one.startswith("WRONG"))
    assert line.startswith("WRONG: variants/softmax.py: wrong fails `")


def test_a_matrix_of_mistakes_that_no_longer_fit_says_which(copied, capsys):
    def rewrite(content):
        (cell,) = (one for one in content["cells"] if one["id"] == "softmax")
        cell["source"] = "softmax = None"

    edit(copied.source, rewrite)
    assert main(["matrix", copied.id, "--course", str(copied.course.root)]) == 1
    assert "`mistakes/softmax.md`, line 5: there is no hole `total`" in capsys.readouterr().err
