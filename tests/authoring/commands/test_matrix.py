"""`matrix` on the command line: its tables, and what its exit status says."""

import re
from importlib import import_module

import pytest
from skeletons import replace
from submissions import edit
from typed_commands import typed


@pytest.fixture
def matrix(copied, tmp_path, monkeypatch):
    """Make the matrix of the small assignment, with little that is composed and examined; return the
    status, what was said, and its tables.
    """
    monkeypatch.chdir(tmp_path)

    def run(*more: str, seeds: int = 0, composed: int = 0) -> tuple[int, str, dict[str, list[str]]]:
        command = import_module(".matrix", "autograder.authoring.commands")
        monkeypatch.setattr(command, "SEEDS", seeds)
        monkeypatch.setattr(command, "COMPOSED", composed)
        status, said = typed("matrix", copied.id, "--course", copied.course.root, *more)
        found = tmp_path.glob(f"matrix/{copied.id}/**/*.csv")
        return status, said, {file.stem: file.read_text().splitlines() for file in found}

    return run


def first_cells(table: list[str]) -> list[str]:
    return [line.split(",")[0] for line in table]


@pytest.mark.long
@pytest.mark.walls
def test_a_matrix_without_a_fault_ends_well(matrix):
    status, said, _ = matrix("--seed", "7", composed=3)
    assert status == 0
    assert "8 mistakes, 1 pairs, 7 correct submissions" in said and "--seed 7" in said
    assert re.search(r"composed +6 +3 +3 +0 +1.000 +1.000", said)


@pytest.mark.walls
def test_a_matrix_of_one_exercise_has_its_rows_checks_and_margins_only(matrix):
    status, said, tables = matrix("--exercise", "softmax", seeds=1)
    assert status == 0 and "caught and named" in said and "rms_norm" not in said
    rows = first_cells(tables["matrix"])
    assert rows[:3] == ["row", "the solution", "softmax: by_torch"] and len(rows) == 5
    assert "rms_norm" not in str(tables["matrix"]) + str(tables["margins"])


@pytest.mark.walls
def test_a_matrix_of_one_mistake_has_each_of_its_ways_and_no_other(copied, matrix):
    way = "total: sum(0, keepdim=True)\n"
    replace(copied.graders / "mistakes" / "softmax.md", way, f"{way}total: sum()\n")
    status, said, tables = matrix("--mistake", "another_axis")
    ways = ["softmax: another_axis", "softmax: another_axis (2)"]
    rows = first_cells(tables["matrix"])
    assert rows[:4] == ["row", "the solution", *ways]
    assert all("another_axis" in pair for pair in rows[4:])
    assert status == 0 and "another_axis (2)" in said
    assert re.search(r"another_axis \(2\) +([xN·] +)+\d+%", said)
    assert "Nothing WRONG" in said and "variants with" not in said


@pytest.mark.walls
def test_what_is_wrong_is_told_once_and_with_the_reason(copied, matrix):
    with (copied.graders / "variants" / "softmax.py").open("a") as file:
        file.write("\n\n# %% wrong\ndef softmax(scores):\n    return scores.softmax(dim=0)\n")
    status, said, _ = matrix("--exercise", "softmax")
    wrong = [line for line in said.splitlines() if line.startswith("WRONG")]
    assert status == 1 and len(wrong) == 1
    assert wrong[0].startswith("WRONG: variants/softmax.py: wrong fails `")


def test_mistakes_that_no_longer_fit_are_said(copied, matrix):
    def rewrite(content):
        (cell,) = (one for one in content["cells"] if one["id"] == "softmax")
        cell["source"] = "softmax = None"

    edit(copied.source, rewrite)
    status, said, _ = matrix()
    assert status == 1
    assert "`mistakes/softmax.md`, line 5: there is no hole `total`" in said
