"""Four claims that texts repeat: what the cells show is what the text below them says."""

import pytest
import torch
from notebook_cells import OPEN, cells_of, checks_of, run

from autograder.authoring.toolbox_file import toolbox_module

PARTS = "imports layer_norm add_and_norm"
CLAIMS = ("variance", "balanced", "linear", "clean")


@pytest.fixture(scope="module")
def cells(course):
    return cells_of("layer-norm", course)


@pytest.fixture
def shown(cells):
    """Run the cell of a claim with the solution; returns the rows of its table."""

    def rows(claim: str) -> list:
        (table,) = run(cells, f"{PARTS} claims_{claim}_code")["tables"]
        assert len(table[0]) == len(table[1][0])
        return table[1]

    return rows


def test_a_small_token_does_not_get_variance_one(cells, shown):
    assert r"\sigma^2 / (\sigma^2 + \epsilon)" in cells["claims_variance_seen"]
    assert "a half where both are alike" in cells["claims_variance_seen"]
    for before, after in shown("variance"):
        assert float(after) == pytest.approx(float(before) / (float(before) + 1e-6), abs=1e-3)
    assert [after for _, after in shown("variance")] == ["1.000", "0.990", "0.500", "0.010"]


def test_the_largest_feature_keeps_its_share(cells, shown):
    (_, _, before), (_, features, after) = shown("balanced")
    assert before == after and float(after) > 0.85
    small = [float(one) for one in features.split(", ") if float(one) < 0]
    assert len(small) == 3 and 0 < max(small) - min(small) < 0.01
    assert "differ by less than a hundredth" in cells["claims_balanced_seen"]


def test_neither_attention_nor_the_norm_is_linear(cells, shown):
    linear, attention, norm = (row[1:] for row in shown("linear"))
    assert (linear, attention, norm) == ((True, True), (False, False), (False, False))
    x, z = torch.randn(2, 5, 4)
    given = (x @ x.T / 2).softmax(-1)  # weights
    assert torch.allclose(given @ (x + z), given @ x + given @ z, atol=1e-5)
    layer_norm = run(cells, PARTS)["LayerNorm"](4)
    assert torch.allclose(layer_norm(2 * x), layer_norm(x), atol=1e-3)


def test_after_eight_norms_a_sixteenth_is_left_and_of_sums_a_third(cells, shown):
    for said in (r"1/\sqrt{9}", r"1/\sqrt{2^8}", "a sixteenth"):
        assert said in cells["claims_clean_seen"]
    (_, norms), (_, sums) = shown("clean")
    assert float(norms) == pytest.approx(1 / 16, abs=0.02)
    assert float(sums) == pytest.approx(1 / 3, abs=0.02)


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_claim_waits_for_its_exercise(cells, claim):
    open_ = {
        "layer_norm": OPEN.format(name="LayerNorm"),
        "add_and_norm": OPEN.format(name="AddAndNorm"),
    }
    space = run(cells | open_, f"{PARTS} claims_{claim}_code")
    assert space["tables"] == [] and "is still open" in space["said"]


BUILT = "imports layer_norm add_and_norm twelve_tokens recover as_convolution"


@pytest.fixture
def equations(cells, course, monkeypatch):
    """Run these cells and the one of what was built; returns what it shows of each equation."""

    def shown(before: str) -> list[str]:
        toolbox, checks, found = toolbox_module(), checks_of("layer-norm", course), []
        monkeypatch.setattr(toolbox, "own_lines", lambda function: function.__code__.co_name)
        monkeypatch.setattr(toolbox, "display", lambda shown: found.append(shown.data))
        run(cells, f"{before} built_lines", checks)
        return found

    return shown


def test_own_lines_stand_beside_each_equation(equations):
    shown = equations(BUILT)
    assert len(shown) == 5 and all("$$" in one and "still open" not in one for one in shown)


def test_no_equation_is_shown_of_what_is_open(equations):
    shown = equations("imports")
    assert len(shown) == 5 and all("still open" in one and "$$" not in one for one in shown)
