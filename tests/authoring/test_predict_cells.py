"""Cells that take parts of the encoder away: each takes its own part, from every right solution."""

import contextlib
import io

import matplotlib
import nbformat
import pytest
import torch

from autograder.authoring.rows import all_rows

MODEL = (
    "imports toolbox exercises feed_forward attention multi_head_attention encoder_layer encoder"
)
PREDICT = "predict_yours predict_variants predict_training predict_table predict_curves"


@pytest.fixture(scope="module")
def cells(assignment):
    matplotlib.use("agg")
    found = nbformat.read(assignment.source, as_version=4).cells
    return {cell.id: cell.source for cell in found} | assignment.solutions


def run(cells, ids: str) -> dict:
    """Run cells in a notebook of their own; a training takes one step."""
    space = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()) as said:
        for id in ids.split():
            exec(compile(cells[id].replace("steps=200", "steps=20"), f"<{id}>", "exec"), space)
    return space | {"said": said.getvalue()}


@pytest.fixture(scope="module")
def notebook(cells):
    return run(cells, f"{MODEL} predict_variants predict_training")


def encoder(notebook, seed=1):
    torch.manual_seed(seed)
    return notebook["Encoder"](10, 8, 2, 12, 3, 0.0)


def test_without_positions_the_order_is_unknown(notebook):
    model, tokens = encoder(notebook), torch.tensor([[1, 2, 3, 4, 5, 6]])
    known = model(tokens.flip(1)).flip(1)
    assert not torch.allclose(model(tokens), known, atol=1e-3)
    notebook["without_positions"](model)
    assert torch.allclose(model(tokens), model(tokens.flip(1)).flip(1), atol=1e-5)


def test_without_residuals_the_norm_is_taken_of_the_sub_layer_alone(notebook):
    model, x = encoder(notebook), torch.randn(2, 6, 8)
    layer = model.layers[0]
    z = layer.layer_norm_1(layer.self_attention(x, x, x))
    alone = layer.layer_norm_2(layer.feature_transformation(z))
    notebook["without_residuals"](model)
    assert torch.allclose(layer(x), alone, atol=1e-5)


def test_without_the_scale_the_scores_are_not_divided(notebook):
    torch.manual_seed(1)
    model, x = notebook["Encoder"](10, 32, 2, 64, 1, 0.0), torch.randn(2, 6, 32)
    heads = model.layers[0].self_attention
    query, key, value = (
        part(x).unflatten(-1, (2, 16)).transpose(1, 2)
        for part in (heads.query_transform, heads.key_transform, heads.value_transform)
    )
    mixed = (query @ key.transpose(-2, -1)).softmax(-1) @ value
    notebook["without_scale"](model)
    expected = heads.output_transform(mixed.transpose(1, 2).flatten(-2))
    assert torch.allclose(heads(x, x, x), expected, atol=1e-5)


def test_without_norm_nothing_is_brought_to_a_common_size(notebook):
    model, x = encoder(notebook), torch.randn(2, 6, 8)
    notebook["without_norm"](model)
    layer = model.layers[0]
    z = x + layer.self_attention(x, x, x)
    assert torch.allclose(layer(x), z + layer.feature_transformation(z), atol=1e-5)


@pytest.mark.long
def test_a_run_can_be_repeated_and_leaves_chance_as_it_was(cells):
    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    first, second = (run(cells, f"{MODEL} {PREDICT}")["runs"] for _ in range(2))
    assert [len(seeds) for seeds in first.values()] == [3] * 6
    for name in first:
        assert [run[0] for run in first[name]] == [run[0] for run in second[name]], name
    assert torch.equal(before, torch.random.get_rng_state())


def test_nothing_is_measured_as_long_as_an_exercise_is_open(assignment, cells):
    released = {cell.id: cell.source for cell in assignment.cells}
    for id in MODEL.split()[3:]:
        space = run(cells | {id: released[id]}, f"{MODEL} {PREDICT}")
        assert space["runs"] == {} and "is still open" in space["said"], id


@pytest.mark.long
def test_parts_can_be_taken_from_right_solutions_that_keep_the_names(assignment, cells):
    rows = {row.place: row.cells for row in all_rows(assignment) if row.is_right}
    assert len(rows) > 30
    unable = {place for place, own in rows.items() if not parts_can_be_taken(cells | own)}
    assert len(unable) < len(rows) / 8, sorted(unable)


def parts_can_be_taken(cells) -> bool:
    notebook = run(
        cells | {"predict_training": cells["predict_training"].partition("if try_it")[0]},
        f"{MODEL} predict_variants predict_training",
    )
    try:
        for change in ("positions", "residuals", "scale", "norm"):
            notebook["learn"](notebook[f"without_{change}"], steps=1)
    except (AttributeError, AssertionError):  # members have names of their own
        return False
    return True
