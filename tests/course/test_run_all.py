"""Run All stops nowhere: neither in the notebook as it is released, nor half finished.

Solved it is run where the solution is made: `test_publish.py`.
"""

import nbformat
import pytest
from courses import OURS, long_but_one
from nbclient import NotebookClient

from autograder.authoring.publish import CELL_SECONDS, make_release

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]  # kernels, and a training


@pytest.fixture(scope="module")
def folder(assignment, tmp_path_factory):
    """A release that is made now."""
    return make_release(assignment, tmp_path_factory.mktemp("made"))


@long_but_one(OURS)
@pytest.mark.parametrize(
    "share",
    [
        pytest.param(0, id="as_released"),
        pytest.param(0.5, id="half", marks=pytest.mark.long),
    ],
)
def test_no_cell_raises(share, assignment, folder):
    path = folder / f"{assignment.id}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    names = list(assignment.solutions)
    done = {name: assignment.solutions[name] for name in names[: round(share * len(names))]}
    for cell in notebook.cells:
        cell.source = done.get(cell.id, cell.source)
    ran = NotebookClient(
        notebook,
        timeout=CELL_SECONDS,
        kernel_name="python3",
        allow_errors=True,
        resources={"metadata": {"path": str(folder)}},
    ).execute()
    code = [cell for cell in ran.cells if cell.cell_type == "code" and cell.source]
    assert code and all(cell.execution_count for cell in code)
    raised = {
        cell.id: f"{output.ename}: {output.evalue}"
        for cell in code
        for output in cell.outputs
        if output.output_type == "error"
    }
    assert raised == {}
