"""Composed submissions: styles mixed at random, the same again by their seed."""

from autograder.authoring.rows import composed_rows, go_together


def test_what_a_seed_composed_it_composes_again(assignment):
    first, again, other = (composed_rows(assignment, 20, seed) for seed in (1, 1, 2))
    assert first == again and first != other
    assert len({tuple(row.cells.values()) for row in first}) == 40


def test_half_of_them_are_right_and_half_have_a_mistake_in_one_exercise(assignment):
    rows = composed_rows(assignment, 30, 0)
    assert [len(row.exercises) for row in rows] == [0] * 30 + [1] * 30
    assert {name for row in rows for name in row.exercises} == {*assignment.solutions}
    assert all({*row.cells} == {*assignment.solutions} for row in rows)


def test_a_cell_that_needs_another_of_its_variant_is_not_mixed(copied):
    (copied.graders / "variants" / "together").mkdir()
    needs_both = copied.graders / "variants" / "together" / "both.py"
    needs_both.write_text("# %% softmax\nHELPER = 1\n\n\n# %% rms_norm\nx = HELPER\n")
    entry = "## rms_norm in both\n- x = HELPER\n+ x = -HELPER\n"
    (copied.graders / "mistakes" / "in_variants.md").write_text(f"# Prose\n\n{entry}")
    rows = composed_rows(copied, 40, 0)
    assert len(rows) == 80 and not any("HELPER" in str(row.cells) for row in rows)


def test_cells_that_mean_different_things_by_a_name_are_not_mixed(assignment):
    functools, einops = "from functools import reduce\n", "from einops import reduce\n"
    assert go_together([functools, functools, "import einops\n"])
    assert not go_together([functools, einops])
    assert not go_together(["def twice(x):\n    return 2 * x\n", "def twice(x):\n    return x\n"])
    rows = composed_rows(assignment, 60, 975561)
    assert all(go_together(row.cells.values()) for row in rows)
