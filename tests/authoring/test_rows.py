"""The rows of the kill matrix: the solution, the variants, each mistake, the pairs, and what is composed:
styles mixed at random, the same again by their seed.
"""

import pytest

from autograder.authoring.in_variants import mistakes_in_variants
from autograder.authoring.rows import composed_rows, go_together
from autograder.engine import GraderError

pytestmark = pytest.mark.slow


def in_variants(assignment, text: str) -> None:
    file = assignment.graders / "mistakes" / "in_variants.md"
    file.write_text(f"# Prose\n\n## softmax in softmax: by_torch{text}\n")


EDIT = "- dim=-1\n+ dim=0"


def test_a_mistake_in_a_variant_is_an_edit_of_it_with_or_without_a_name(copied):
    again = f"\n\n## softmax in softmax: by_torch\n{EDIT}\n\n- return \n+ return 1 * "
    in_variants(copied, f"  named: another_axis\n> The other axis.\n{EDIT}{again}")
    named, unnamed = mistakes_in_variants(copied)
    assert named.cells != unnamed.cells and "dim=0" in named.cells["softmax"]
    assert "return 1 * " in unnamed.cells["softmax"] and "dim=0" in unnamed.cells["softmax"]
    assert [one.id for one in named.mistakes] == ["another_axis"] and unnamed.mistakes == ()
    assert named.exercises == unnamed.exercises == {"softmax"}
    assert named.id == "softmax: by_torch (3), softmax: another_axis"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"x\n{EDIT}", "line 3: there is no variant `softmax: by_torchx`"),
        (f"  named: nothing\n{EDIT}", "line 3: there is no mistake `softmax/nothing`"),
        ("\n- no such piece\n+ x", "line 4: `no such piece` is not once in the cell"),
        ("\n> Said.", "line 3: `softmax in softmax: by_torch` has no edit"),
        ("\n+ dim=0", "line 4: an edit has no line with `- `"),
        (f"\n{EDIT}\nno colon", "line 6: `no colon` is no sentence"),
        (f"\n{EDIT}\n\n## softmax\n{EDIT}", "line 7: `softmax` is no `exercise in variant"),
        (f"\n{EDIT}\n\n## rms_norm in softmax: by_torch\n{EDIT}", "line 7: there is no cell in"),
    ],
)
def test_a_mistake_in_a_variant_that_does_not_fit_is_told_with_its_line(copied, text, said):
    in_variants(copied, text)
    with pytest.raises(GraderError, match="mistakes/in_variants.md`, ") as error:
        mistakes_in_variants(copied)
    assert said in str(error.value)


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
    rows = composed_rows(copied, 60, 0)
    assert len(rows) == 120 and not any("HELPER" in str(row.cells) for row in rows)


def test_cells_that_mean_different_things_by_a_name_are_not_mixed(assignment):
    functools, einops = "from functools import reduce\n", "from einops import reduce\n"
    assert go_together([functools, functools, "import einops\n"])
    assert not go_together([functools, einops])
    assert not go_together(["def twice(x):\n    return 2 * x\n", "def twice(x):\n    return x\n"])
    rows = composed_rows(assignment, 60, 975561)
    assert all(go_together(row.cells.values()) for row in rows)
