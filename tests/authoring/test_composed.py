"""Composed submissions: styles mixed at random, the same again by their seed."""

from autograder.authoring.composed import _go_together, _stands_alone, composed_rows


def test_what_a_seed_composed_it_composes_again(assignment):
    first, again, other = (composed_rows(assignment, 20, seed) for seed in (1, 1, 2))
    assert first == again and first != other
    assert len({tuple(row.cells.values()) for row in first}) == 40


def test_half_of_them_are_right_and_half_have_a_mistake_in_one_exercise(assignment):
    rows = composed_rows(assignment, 30, 0)
    assert [len(row.exercises) for row in rows] == [0] * 30 + [1] * 30
    assert {name for row in rows for name in row.exercises} == {*assignment.solutions}
    assert all({*row.cells} == {*assignment.solutions} for row in rows)


def test_a_cell_that_needs_another_of_its_variant_is_not_mixed(assignment):
    assert _stands_alone("import x\ndef f(a):\n    return x.g(a, math.pi)\n", assignment)
    assert not _stands_alone("layers = clones(nn.Linear(2, 2), 4)\n", assignment)


def test_cells_that_mean_different_things_by_a_name_are_not_mixed(assignment):
    functools, einops = "from functools import reduce\n", "from einops import reduce\n"
    assert _go_together([functools, functools, "import einops\n"])
    assert not _go_together([functools, einops])
    assert not _go_together(["def twice(x):\n    return 2 * x\n", "def twice(x):\n    return x\n"])
    rows = composed_rows(assignment, 60, 975561)
    assert all(_go_together(row.cells.values()) for row in rows)
