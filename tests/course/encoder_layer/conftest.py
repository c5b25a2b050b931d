"""The notebook `encoder-layer`, for tests of what its last cells call."""

import sys

import matplotlib
import nbformat
import pytest
from encoder_cells import notebook_of

from autograder.authoring.toolbox_file import toolbox_module
from autograder.authoring.visible_checks import declared_checks


@pytest.fixture(scope="module")
def cells(assignment):
    matplotlib.use("agg")
    found = nbformat.read(assignment.source, as_version=4).cells
    return {cell.id: cell.source for cell in found} | assignment.solutions


@pytest.fixture(scope="module")
def checks(assignment):
    """The file beside the notebook, as a module."""
    declared_checks(assignment)
    toolbox_module().EXERCISES.clear()
    return sys.modules["encoder_layer_checks"]


@pytest.fixture
def notebook(cells, checks):
    with notebook_of(cells) as space:
        yield space
