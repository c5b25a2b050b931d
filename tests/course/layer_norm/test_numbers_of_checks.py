"""Do the checks of layer-norm know the numbers that its notebook prints?

They have their own, so that no name of a student's changes what they ask.
"""

import sys

import pytest
import torch

from autograder import find_course
from autograder.authoring.edited import find_source
from autograder.authoring.visible_checks import declared_checks
from autograder.engine.courses import read_cells


@pytest.fixture(scope="module")
def notebook():
    """What the provided cells with numbers define."""
    space = {"torch": torch, "Tensor": torch.Tensor}
    for cell in read_cells(find_source("layer-norm", find_course(None)).source):
        if cell.id.endswith("_numbers") or "_slow_" in cell.id:
            exec(cell.source, space)
    return space


@pytest.fixture(scope="module")
def checks():
    declared_checks(find_source("layer-norm", find_course(None)))
    return sys.modules["layer_norm_checks"]


def test_the_two_printed_calculations_are_those_of_the_notebook(notebook, checks):
    assert notebook["printed"] == checks.PRINTED
    given = notebook["given"]
    assert torch.equal(checks.TOKEN, given["add and norm"]["x"])
    assert torch.equal(checks.SUBLAYER_OUTPUT, given["add and norm"]["sub-layer output"])
    assert checks.FEED_FORWARD.keys() == given["feed forward"].keys()
    for name, values in given["feed forward"].items():
        assert torch.equal(checks.FEED_FORWARD[name], values), name


def test_the_twelve_tokens_are_those_of_the_notebook(notebook, checks):
    known = checks.WEIGHTS | checks.printed_tables()
    assert known.keys() == notebook["twelve"].keys()
    for name, values in notebook["twelve"].items():
        assert torch.equal(known[name], values), name


def test_what_is_computed_slowly_is_computed_alike(notebook, checks):
    values = [1.5, 1.7, 3.2, 4.1]
    assert checks.variance_of(values) == pytest.approx(notebook["slow_variance"](values))
    tail = checks.random_tail(3, 4, 5)[:5]
    one_by_one = [notebook["slow_feed_forward"](token, *tail[1:]) for token in tail[0]]
    assert torch.equal(checks.unit_by_unit(*tail), torch.stack(one_by_one))
