"""The saved file is found and read, or it is said in a sentence why not."""

import json

import pytest

from autograder.authoring.toolbox_file import toolbox_module
from autograder.engine.placing import MOST_CELLS, MOST_CODE

TOOLBOX = toolbox_module()  # as it is released
main = TOOLBOX.main
MAX_BYTES = TOOLBOX.MAX_BYTES
NoNotebook = TOOLBOX.NoNotebook
SavedCell = TOOLBOX.SavedCell
find_saved = TOOLBOX.find_saved
read_saved = TOOLBOX.read_saved

CELL = {
    "cell_type": "code",
    "id": "a1",
    "source": ["x = 1\n", "y"],
    "metadata": {"nbgrader": {"grade_id": "layer"}, "tags": ["skip-grading"]},
}


def write(path, *cells):
    path.write_text(json.dumps({"cells": cells}))
    return path


def test_a_cell_is_read_with_its_names(tmp_path):
    (cell,) = read_saved(write(tmp_path / "n.ipynb", CELL))
    assert cell == SavedCell("code", "x = 1\ny", ("layer", "a1"), skipped=True)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("<!DOCTYPE html><html>", "is a web page"),
        ("", "JSON is damaged"),
        ("{", "JSON is damaged"),
        ("[" * 100_000, "JSON is damaged"),
        ("{}", "no notebook with cells"),
        ("[]", "no notebook with cells"),
        ('{"cells": [1]}', "no notebook with cells"),
        ('{"cells": 7}', "no notebook with cells"),
    ],
)
def test_what_is_no_notebook_is_refused_in_a_sentence(content, said, tmp_path):
    path = tmp_path / "n.ipynb"
    path.write_text(content)
    with pytest.raises(NoNotebook, match=said) as refused:
        read_saved(path)
    assert str(refused.value).count("\n") == 0


def test_what_is_not_there_or_too_large_is_refused(tmp_path):
    with pytest.raises(NoNotebook, match="cannot be opened"):
        read_saved(tmp_path / "none.ipynb")
    with (tmp_path / "large.ipynb").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(NoNotebook, match="too large"):
        read_saved(tmp_path / "large.ipynb")
    for cells in ([CELL] * (MOST_CELLS + 1), [CELL | {"source": "#" * (MOST_CODE + 1)}]):
        with pytest.raises(NoNotebook, match="longer than grading reads"):
            read_saved(write(tmp_path / "long.ipynb", *cells))


def test_the_notebook_that_the_program_names_is_taken(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one, two = write(tmp_path / "one.ipynb", CELL), write(tmp_path / "two.ipynb", CELL)
    monkeypatch.setenv("JPY_SESSION_NAME", str(one))
    assert find_saved({}, ["layer"]) == one
    assert find_saved({"__vsc_ipynb_file__": str(two)}, ["layer"]) == two
    monkeypatch.setenv("JPY_SESSION_NAME", "/elsewhere/two.ipynb")
    assert find_saved({}, ["layer"]).resolve() == two


def test_else_the_only_one_with_our_cells_is_taken(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    (tmp_path / "broken.ipynb").write_text("{")
    write(tmp_path / "other.ipynb", CELL | {"metadata": {}})
    with pytest.raises(NoNotebook, match="not found"):
        find_saved({}, ["layer"])
    write(tmp_path / "mine.ipynb", CELL)
    assert find_saved({}, ["layer"]).name == "mine.ipynb"
    write(tmp_path / "copy.ipynb", CELL)
    with pytest.raises(NoNotebook, match=r"copy.ipynb, mine.ipynb. Name one\.$"):
        find_saved({}, ["layer"])


def test_before_the_set_up_the_last_cell_says_which_one_comes_first(toolbox, shown):
    toolbox.fit_to_hand_in()
    assert "Run the first cell of code, `set_up`" in shown.said()
