"""The last cell of a released notebook, run as a student runs it."""

import shutil

import nbformat
import pytest
from nbclient import NotebookClient

from autograder.authoring.publish import make_release

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]  # kernels
SKIPPED = "skip-grading"


@pytest.fixture(scope="module")
def made(assignment, tmp_path_factory):
    """A release that is made now."""
    return make_release(assignment, tmp_path_factory.mktemp("made")) / f"{assignment.id}.ipynb"


@pytest.fixture
def said(made, assignment, tmp_path, monkeypatch):
    """Run a changed notebook beside its saved file, and return what the last cell says.

    `saved` is a change of the file alone.
    """
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)

    def run(change, saved=lambda cells: cells) -> str:
        notebook = nbformat.read(made, as_version=4)
        for cell in notebook.cells:
            cell.source = assignment.solutions.get(cell.id, cell.source)
            if cell.metadata.get("nbgrader", {}).get("solution") and cell.cell_type != "code":
                cell.source = "An answer."
        notebook.cells = change(notebook.cells)
        for file in made.parent.glob("*.py"):
            shutil.copy(file, tmp_path)
        path = tmp_path / f"{assignment.id}.ipynb"
        kept = nbformat.from_dict(notebook)
        kept.cells = saved([nbformat.from_dict(dict(cell)) for cell in kept.cells])
        nbformat.write(kept, path)
        notebook.cells = [
            cell
            for cell in notebook.cells
            if SKIPPED not in cell.metadata.get("tags", ()) or cell.id in ("set_up", "hand_in")
        ]
        client = NotebookClient(notebook, timeout=200, kernel_name="python3", allow_errors=True)
        client.resources = {"metadata": {"path": str(tmp_path)}}
        (shown,) = client.execute().cells[-1].outputs
        return shown["data"]["text/plain"]

    return run


def without(name):
    return lambda cells: [cell for cell in cells if cell.id != name]


def replaced(name, old, new):
    def change(cells):
        for cell in cells:
            if cell.id == name:
                assert old in cell.source
                cell.source = cell.source.replace(old, new)
        return cells

    return change


def test_a_whole_saved_notebook_is_fit(said, assignment):
    text = said(lambda cells: cells)
    count = len([cell for cell in assignment.cells if cell.solution])
    assert text.startswith(f"Fit to be handed in: all {count} exercises are there.")
    assert f"Saved: {assignment.id}.ipynb" in text and "To do" not in text


@pytest.mark.long
def test_what_is_wrong_with_the_file_is_said_together(said, assignment):
    first, *_, last = assignment.solutions
    helper = nbformat.v4.new_code_cell("helper = 1", id="helper")
    use = nbformat.v4.new_code_cell("print(helper)", id="use")

    def saved(cells):
        cells = without("helper")(without(last)(cells))
        return replaced(first, "class ", "# before\nclass ")(cells)

    text = said(lambda cells: [*cells[:-1], helper, use, cells[-1]], saved)
    assert text.startswith("Not fit to be handed in yet: 3 things to do.")
    assert "NameError: name 'helper' is not defined" in text
    assert "what ran last is not what is saved" in text
    assert f"`{last}`) is missing" in text
