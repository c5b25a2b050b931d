"""The last cell of a released notebook, run as a student runs it."""

import nbformat
import pytest
from nbclient import NotebookClient

from autograder.authoring.publish import make_release

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]  # kernels
SKIPPED = "skip-grading"


def test_a_whole_saved_notebook_is_fit(assignment, tmp_path, monkeypatch):
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    path = make_release(assignment, tmp_path) / f"{assignment.id}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        cell.source = assignment.solutions.get(cell.id, cell.source)
        if cell.metadata.get("nbgrader", {}).get("solution") and cell.cell_type != "code":
            cell.source = "An answer."
    nbformat.write(notebook, path)
    notebook.cells = [
        cell
        for cell in notebook.cells
        if SKIPPED not in cell.metadata.get("tags", ()) or cell.id in ("set_up", "hand_in")
    ]
    client = NotebookClient(notebook, timeout=200, kernel_name="python3", allow_errors=True)
    client.resources = {"metadata": {"path": str(path.parent)}}
    (shown,) = client.execute().cells[-1].outputs
    text = shown["data"]["text/plain"]
    count = len([cell for cell in assignment.cells if cell.solution])
    assert text.startswith(f"Fit to be handed in: all {count} exercises are there.")
    assert f"Saved: {path.name}" in text and "To do" not in text
