"""`matrix` on the command line: its tables, and what its exit status says."""

import pytest

from autograder.authoring.rows import all_rows
from autograder.cli.main import main


@pytest.mark.walls
def test_the_command_prints_and_writes_its_tables(assignment, tmp_path, capsys, monkeypatch):
    rows = all_rows(assignment)
    some = [row for row in rows if row.exercises <= {"feed_forward"} and len(row.mistakes) < 2]
    monkeypatch.setattr(
        "autograder.authoring.kill_matrix.all_rows", lambda *_: some[:1] + some[-4:]
    )
    words = ["--jobs", "1", "--seeds", "0", "--into", str(tmp_path)]
    status = main(["matrix", assignment.id, *words])
    said = capsys.readouterr().out
    assert status == 1 and "names no mistake" in said  # most are left out here
    assert "constructor_never_begins" in said and "caught and named" in said
    assert (tmp_path / "matrix.csv").read_text().count("\n") == 6


@pytest.mark.walls
def test_a_matrix_without_a_fault_ends_well(small, tmp_path, capsys):
    words = ["--course", str(small.course.root), "--seeds", "0", "--into", str(tmp_path)]
    assert main(["matrix", small.id, "--jobs", "1", *words]) == 0
    assert "5 mistakes, 1 pairs, 4 correct submissions" in capsys.readouterr().out


def test_a_matrix_of_mistakes_that_no_longer_fit_says_which(small, monkeypatch, capsys):
    monkeypatch.setitem(small.solutions, "softmax", "softmax = None")
    assert main(["matrix", small.id, "--course", str(small.course.root)]) == 1
    assert "another_axis: " in capsys.readouterr().err
