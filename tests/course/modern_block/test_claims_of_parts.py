"""What the texts of `modern-block` say of single parts, and its pictures of them, computed."""

import ast
import inspect
import re

import pytest
import torch
from drawn_figures import WORDS, numbers
from notebook_cells import run
from torch.nn import functional as F

from autograder.authoring.toolbox_file import toolbox_module

SOLVED = "imports rms_norm fold_centering swiglu pre_norm_feed_forward given_attention modern_block"


@pytest.fixture(scope="module")
def space(cells):
    return run(cells, f"{SOLVED} given_blocks")


@pytest.fixture
def shown(cells, checks):
    """Run a cell with the solution, and with something predicted."""

    def show(id: str) -> dict:
        return run(
            cells | {id: cells[id].replace(": ...", ': "said"', 1)}, f"{SOLVED} {id}", checks
        )

    return show


@pytest.fixture
def heatmaps(shown, monkeypatch):
    """The tables that a picture's cell draws, and its sentence."""

    def draw(id: str) -> tuple[list[torch.Tensor], str]:
        drawn: list = []
        monkeypatch.setattr(toolbox_module(), "heatmaps", lambda *given, **_: drawn.append(given))
        shown(id)
        ((tables, _, _, alt, *_),) = drawn
        return [table.detach() for table in tables.values()], alt

    return draw


def statements(source: str) -> int:
    """How many lines a student writes: statements, but what is given."""
    given = ast.ClassDef, ast.FunctionDef
    inside = [one for one in ast.walk(ast.parse(source)) if isinstance(one, ast.stmt)]
    lines = [ast.unparse(one) for one in inside if not isinstance(one, given)]
    return sum(not one.startswith(("super()", "'", '"')) for one in lines)


def test_a_solution_is_about_as_long_as_its_contract_says(cells):
    said = {id: re.search(r"about (\w+) lines", text) for id, text in cells.items()}
    found = {id.removesuffix("_contract"): one[1] for id, one in said.items() if one}
    assert len(found) == 6
    for exercise, count in found.items():
        assert abs(statements(cells[exercise]) - WORDS.index(count)) <= 1, exercise
    forward = cells["rms_norm"].partition("def forward")[2]
    count = re.search(r"(\w+) lines: x in a wide type", cells["rms_norm_hints"])[1]
    assert statements(f"def forward{forward}".replace("\n    ", "\n")) == WORDS.index(count.lower())


def test_tables_of_a_folded_layer(heatmaps):
    (first, second, third), alt = heatmaps("fold_centering_picture")
    assert tuple(numbers(alt)) == (*first.shape, 2)
    assert "the first two are alike, the third is not" in alt
    assert torch.allclose(first, second, atol=1e-4) and (first - third).abs().max() > 0.5


def test_silu_dips_furthest_and_widest(shown):
    alt, z = shown("swiglu_functions")["alt"], torch.linspace(-5, 5, 1001)
    (lowest,) = re.findall(r"to (-[\d.]+)\.", alt)
    assert F.silu(z).min().item() == pytest.approx(float(lowest), abs=0.005)
    assert "SiLU furthest and widest" in alt
    assert F.silu(z).min() < F.gelu(z).min()
    assert (F.silu(z) < -0.02).sum() > (F.gelu(z) < -0.02).sum()


def test_at_equal_weights_swiglu_has_two_thirds_of_the_units(cells, checks, shown):
    ((_, (relu, swiglu)),) = shown("swiglu_guess")["tables"]
    d_model, of_swiglu, of_relu = numbers(checks.beside_relu.__doc__)
    weights = f"{2 * d_model * of_relu:,.0f}", f"{3 * d_model * of_swiglu:,.0f}"
    assert weights == (relu[1], swiglu[1]) and relu[1] == swiglu[1]
    assert f"d_ff {of_relu:g}" in relu[0] and f"d_ff {of_swiglu:g}" in swiglu[0]
    assert "with as many weights" in cells["swiglu_try"]
    assert "two thirds of the hidden units" in cells["swiglu_seen"]
    assert "2/3 is for whoever chooses it" in cells["swiglu_hints"]
    assert of_swiglu / of_relu == pytest.approx(2 / 3)
    assert "ReLU is exactly linear along a ray" in cells["swiglu_seen"]
    assert relu[2:4] == ["10", "10"] and 99 < float(swiglu[3]) < 103
    assert '"10 times", "100 times"' in cells["swiglu_guess"]


def test_silu_acts_on_the_gate_alone(cells, checks, space):
    assert "SiLU acts on the gate alone, and before the product" in cells["swiglu_equation"]
    layer, x = space["SwiGLU"](6, 10), torch.randn(3, 6)
    answer, linear = layer(x), {}
    for name, matrix in layer.named_parameters():
        with torch.no_grad(), checks.other_numbers(matrix, -1):
            linear[name.split(".")[0]] = torch.allclose(layer(x), -answer, atol=1e-6)
    assert linear == {"gate": False, "up": True, "down": True}
    steps = inspect.getsource(checks.swiglu_steps)
    asked = [float(one) for one in re.findall(r"full_like\(gate, (-\d+) / d_model\)", steps)]
    said = re.findall(r"down to (-\d+)", cells["swiglu_contract"])
    assert sorted(asked) == [float(one) for one in said]


def test_what_a_pre_norm_layer_adds_has_one_size(cells, heatmaps, space):
    (x, added, answer), alt = heatmaps("pre_norm_feed_forward_picture")
    assert "Rows of x grow from word to word; what is added has one size" in alt
    assert "Four words, from small to large" in cells["pre_norm_feed_forward_try"]
    assert len(x) == 4
    for rows in (x.norm(dim=1), answer.norm(dim=1)):
        assert rows.tolist() == sorted(rows.tolist())
    assert added.norm(dim=1).max() < 3 * added.norm(dim=1).min()
    layer, y = space["PreNormFeedForward"](8, 12), torch.randn(2, 3, 8)
    assert "x is ten times as large" in cells["pre_norm_feed_forward_check"]
    assert torch.allclose(layer(10 * y) - 10 * y, layer(y) - y, atol=1e-3)


def test_a_changed_word_moves_all_rows_or_its_own(heatmaps):
    (free, hidden), alt = heatmaps("modern_block_picture")
    assert "Left every row has some colour, sat most" in alt
    assert free.amax(1).min() > 1e-3 and free.norm(dim=1).argmax() == 2
    assert "Right the row of sat alone has" in alt
    assert [bool(row.max() > 1e-6) for row in hidden] == [False, False, True, False, False, False]


def test_a_mask_of_1_lets_a_word_be_attended(cells, space):
    attention, x = space["MultiHeadAttention"](8, 2), torch.randn(1, 3, 8)
    assert "without biases" in cells["given_attention"]
    assert not [name for name, _ in attention.named_parameters() if "bias" in name]
    for cell in ("given_attention", "modern_block", "modern_stack"):
        assert "integer or bool: 1 or True = may be attended" in cells[cell]
    short = attention(x[:, :2], x[:, :2], x[:, :2])
    for mask in (torch.tensor([[1, 1, 0]]), torch.tensor([[True, True, False]])):
        assert torch.allclose(attention(x, x, x, mask)[:, :2], short, atol=1e-6)
    assert "it is needed three times" in cells["modern_block_hints"]
    assert "(normed, normed, normed," in cells["modern_block"]


def test_no_block_of_this_notebook_has_dropout(cells, space):
    assert "In this notebook there is none" in cells["pre_norm_feed_forward_dropout"]
    for block in (space["PreNormFeedForward"](4, 6), space["ModernBlock"](4, 2, 6)):
        x = torch.randn(1, 2, 4)
        assert torch.equal(block.train()(x), block.train()(x))


def test_given_blocks_do_what_stands_beside_them(cells, space):
    x = torch.randn(2, 3, requires_grad=True)
    assert space["identity"]()(x) is x and "the tensor that came in" in cells["given_blocks"]
    assert "the same numbers; no gradient comes back" in cells["given_blocks"]
    answer = space["detached"]()(x)
    assert torch.equal(answer, x) and not answer.requires_grad
    assert "wants a gradient, and has one of ones already" in cells["given_blocks"]
    leaf = space["leaf"](x.detach(), True)
    assert leaf.requires_grad and torch.equal(leaf.grad, torch.ones(2, 3))
