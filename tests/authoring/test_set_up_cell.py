"""The first cell of code of a released notebook, where its files are, and where they are not."""

import contextlib
import hashlib
import io
import platform
import sys
from unittest.mock import MagicMock

import nbformat
import numpy
import pytest
import torch

from autograder.authoring.release_files import released_text
from autograder.authoring.toolbox_file import (
    CALL,
    FILE,
    NAME,
    call_of_set_up,
    set_up_source,
    toolbox_module,
    toolbox_source,
)
from autograder.engine.placing import ANSWER, ReleasedCell, fingerprint

TOOLBOX = toolbox_module()  # as it is released
ExerciseHeading = TOOLBOX.ExerciseHeading
Released = TOOLBOX.Released

EXERCISE = ExerciseHeading("1", "One", 1, 5, ("x",))
RELEASED = Released(
    {"one": EXERCISE}, [ReleasedCell("one", "code", fingerprint(""), ANSWER, ("x",))]
)
CHECKS = "import toolbox\n\n\n@toolbox.steps('one')\ndef one():\n    yield 'Is it one?'\n"
MODULE = "sheet_checks"
READY = "Ready: checks and pictures of sheet.\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The notebook's folder, and a Python that has imported no toolbox yet."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    for name in (NAME, MODULE):
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield tmp_path
    for name in (NAME, MODULE):
        sys.modules.pop(name, None)


def run(address: str = "", wanted: dict[str, str] | None = None) -> str:
    """Run the cell as it is released; return what it prints."""
    texts = wanted or {FILE: toolbox_source(), f"{MODULE}.py": CHECKS}
    files = {name: text.encode() for name, text in texts.items()}
    cell = CALL.sub(lambda _: call_of_set_up("sheet", files, address), set_up_source("sheet"))
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(
            compile(cell, "<cell set_up>", "exec"),
            {"__name__": "__main__", "get_ipython": MagicMock()},
        )
    return said.getvalue()


def write_files(folder, checks: str = CHECKS) -> None:
    (folder / FILE).write_text(toolbox_source(), encoding="utf-8")
    (folder / f"{MODULE}.py").write_text(checks, encoding="utf-8")


def test_beside_the_notebook_they_are_imported(folder):
    write_files(folder)
    assert run() == READY
    assert list(sys.modules[NAME].CHECKS) == ["one"]


def test_where_they_are_missing_one_sentence_says_so_and_all_cells_run(folder, capsys):
    assert run().startswith("No checks and pictures yet: put toolbox.py and sheet_checks.py beside")
    import toolbox  # what the cell left in its place

    @toolbox.play(toolbox.slider("size", [1, 2]))
    def _(size):
        raise AssertionError

    @toolbox.try_it
    def _():
        raise AssertionError

    said = capsys.readouterr().out.splitlines()
    assert len(said) == 2  # one a picture
    assert all(line.startswith("No checks and pictures yet: put toolbox.py and") for line in said)
    assert repr(toolbox.check("one")).startswith("No checks and pictures yet")
    write_files(folder)
    assert run() == READY and list(sys.modules[NAME].CHECKS) == ["one"]


def test_the_one_that_is_missing_is_named_and_no_other(folder):
    write_files(folder)
    (folder / FILE).unlink()
    assert "put toolbox.py beside this notebook" in run()
    (folder / f"{MODULE}.py").unlink()
    (folder / FILE).write_text(toolbox_source(), encoding="utf-8")
    assert "`sheet_checks.py` is missing" in run()


def test_they_are_fetched_from_the_courses_address_and_compared(folder, tmp_path_factory):
    course = tmp_path_factory.mktemp("course")
    write_files(course)
    address = f"{course.as_uri()}/"
    (course / f"{MODULE}.py").write_text("import os; os.abort()")
    run(address)
    assert (folder / FILE).read_text() == toolbox_source()
    assert not (folder / f"{MODULE}.py").exists()  # another file than the notebook's
    write_files(course)
    assert run(address) == READY
    digest = hashlib.sha256((folder / f"{MODULE}.py").read_bytes()).hexdigest()
    assert digest == hashlib.sha256(CHECKS.encode()).hexdigest()


def test_an_old_toolbox_is_told_with_the_version_that_is_wanted(folder, capsys):
    write_files(folder)
    old = toolbox_source().replace('VERSION = "', 'VERSION = "0')
    (folder / FILE).write_text(old, encoding="utf-8")
    said = run()
    assert "is not the one of this notebook" in said and "wants" in said


@pytest.mark.parametrize("text", ["<html>", "VERSION = 'old'"])
def test_another_file_of_that_name_is_as_good_as_none(folder, text):
    write_files(folder)
    (folder / FILE).write_text(text)
    assert run().startswith("No checks and pictures yet: put the toolbox.py that came with it")


def test_missing_checks_are_told_by_whatever_needs_them_and_stop_nothing(folder, capsys):
    (folder / FILE).write_text(toolbox_source(), encoding="utf-8")
    missing = "`sheet_checks.py` is missing"
    assert f"{missing}." in run(wanted={FILE: toolbox_source()})
    import toolbox

    def picture():
        from sheet_checks import draw

        draw()

    asked = (
        lambda: toolbox.check("one"),
        toolbox.progress,
        toolbox.fit_to_hand_in,
        lambda: toolbox.try_it(picture),
    )
    capsys.readouterr()
    for ask in asked:
        ask()
        out = capsys.readouterr().out
        assert missing in out and "No picture yet" not in out
    toolbox.try_it(lambda: None)


@pytest.fixture
def old_torch(monkeypatch):
    monkeypatch.setattr(torch, "__version__", "2.2.2+cu121")


def test_a_torch_that_is_too_old_is_one_sentence_and_checks_say_the_same(folder, capsys, old_torch):
    write_files(folder)
    sentence = run().strip()
    assert sentence == (
        "torch 2.2.2+cu121 (needed: 2.4 or newer) is too old for this notebook: "
        "run `%pip install -U torch` in a cell, then restart the kernel."
    )
    import toolbox

    @toolbox.try_it
    def _():
        raise AssertionError

    assert capsys.readouterr().out.strip() == sentence
    assert repr(toolbox.check("one")) == repr(toolbox.fit_to_hand_in()) == sentence


VERSIONS = [  # of torch, numpy and Python; what is said
    ("2.4.0a0+git", "1.26.4", "3.11.0", "Ready: "),
    ("2.2.2", "1.26.4", "3.11.0", "torch 2.2.2 (needed: 2.4 or newer) is too old"),
    ("2.2.2", "1.23.5", "3.11.0", "`%pip install -U torch numpy`"),
    (
        "2.4.0",
        "1.26.4",
        "3.10.13",
        "is too old for this notebook: choose a kernel with a newer Python.",
    ),
]


@pytest.mark.parametrize(("of_torch", "of_numpy", "of_python", "said"), VERSIONS)
def test_all_that_is_too_old_is_in_one_sentence(
    folder, monkeypatch, of_torch, of_numpy, of_python, said
):
    write_files(folder)
    monkeypatch.setattr(torch, "__version__", of_torch)
    monkeypatch.setattr(numpy, "__version__", of_numpy)
    monkeypatch.setattr(platform, "python_version", lambda: of_python)
    sentence = run()
    assert said in sentence and sentence.count("\n") == 1


def test_the_command_runs_nothing_with_a_torch_that_is_too_old(folder, capsys, monkeypatch):
    write_files(folder)
    run()
    toolbox = sys.modules[NAME]
    monkeypatch.setattr(torch, "__version__", "2.2.2")
    (folder / f"{MODULE}.py").write_text(CHECKS + released_text(RELEASED), encoding="utf-8")
    cells = [nbformat.v4.new_code_cell("x = 1", id="one"), nbformat.v4.new_code_cell("", id="two")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), folder / "sheet.ipynb")
    toolbox.main([str(folder / "sheet.ipynb")])
    out, err = capsys.readouterr()
    assert err.startswith("Nothing is run. torch 2.2.2 (needed: 2.4 or newer) is too old")
    assert "written, not checked here" in out and "failing" not in out
