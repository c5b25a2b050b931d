"""A student's own tests, run with layers that break a law each, and with one that keeps them all."""

import pytest
from notebook_cells import cells_of, checks_of, run

PARTS = "imports feed_forward attention multi_head_attention encoder_layer"
NOTICES = """
def test_the_input_stays():
    x = torch.ones(1, 5, 12)
    build(12, 3, 20)(x)
    assert (x == 1).all(), "it changed"
"""
REFUSES_ALL = "def test_nothing_is_right():\n    assert False, 'always'\n"


@pytest.fixture(scope="module")
def cells(course):
    return cells_of("encoder-layer", course)


@pytest.fixture
def said(cells, course):
    """What is shown and printed with these tests in the cell above."""

    def ask(own):
        checks = checks_of("encoder-layer", course)
        own = f"from encoder_layer_checks import build\n{own}"
        return run(cells | {"own": own}, f"{PARTS} own tests_planted", checks)

    return ask


def test_a_test_is_as_it_should_be_where_it_notices_and_lets_the_right_one_pass(said):
    (table,) = said(NOTICES)["tables"]
    assert table[0][-1] == "as it should"
    found = {law: (notes, good) for law, notes, good in table[1]}
    assert found["keeps all laws"] == ("passes", "yes")
    assert found["changes its input"] == ("test_the_input_stays: AssertionError: it changed", "yes")
    assert found["forgets the mask"] == ("passes", "no")


def test_what_refuses_the_right_layer_is_not_as_it_should_be(said):
    (table,) = said(REFUSES_ALL)["tables"]
    assert table[1][0][0] == "keeps all laws" and table[1][0][2] == "no"


def test_without_a_test_the_prefix_is_named(said):
    shown = said("def mask_test(): pass")
    assert shown["tables"] == [] and "name begins with `test_`" in shown["said"]
