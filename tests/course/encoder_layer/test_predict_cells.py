"""The experiment that takes parts of the encoder away: each change takes its own part, from every right
solution.
"""

import contextlib
import io

import pytest
import torch
from encoder_cells import MODEL, notebook_of

from autograder.authoring.rows import all_rows

pytestmark = pytest.mark.slow

PARTS = "positions", "residuals", "the scale", "norm"


def encoder(notebook, seed=1):
    torch.manual_seed(seed)
    return notebook["Encoder"](10, 8, 2, 12, 3, 0.0)


def test_without_positions_the_order_is_unknown(notebook, checks):
    model, tokens = encoder(notebook), torch.tensor([[1, 2, 3, 4, 5, 6]])
    known = model(tokens.flip(1)).flip(1)
    assert not torch.allclose(model(tokens), known, atol=1e-3)
    checks.without_positions(model)
    assert torch.allclose(model(tokens), model(tokens.flip(1)).flip(1), atol=1e-5)


def test_without_residuals_the_norm_is_taken_of_the_sub_layer_alone(notebook, checks):
    model, x = encoder(notebook), torch.randn(2, 6, 8)
    layer = model.layers[0]
    z = layer.layer_norm_1(layer.self_attention(x, x, x))
    alone = layer.layer_norm_2(layer.feature_transformation(z))
    checks.without_residuals(model)
    assert torch.allclose(layer(x), alone, atol=1e-5)


def test_without_norm_nothing_is_brought_to_a_common_size(notebook, checks):
    model, x = encoder(notebook), torch.randn(2, 6, 8)
    checks.without_norm(model)
    layer = model.layers[0]
    z = x + layer.self_attention(x, x, x)
    assert torch.allclose(layer(x), z + layer.feature_transformation(z), atol=1e-5)


def test_nothing_is_measured_as_long_as_an_exercise_is_open(assignment, cells, checks):
    released = {cell.id: cell.source for cell in assignment.cells}
    for id in MODEL[1:]:
        said = io.StringIO()
        with contextlib.redirect_stdout(said), notebook_of(cells | {id: released[id]}):
            runs = checks.runs_of_variants(last_step=1)
        assert runs == {} and "is still open" in said.getvalue(), id


@pytest.mark.long
def test_parts_can_be_taken_from_right_solutions_that_keep_the_names(assignment, cells, checks):
    rows = {row.place: row.cells for row in all_rows(assignment) if row.is_right}
    assert len(rows) > 30
    unable = {place for place, own in rows.items() if not parts_can_be_taken(cells | own, checks)}
    assert len(unable) < len(rows) / 8, sorted(unable)


def parts_can_be_taken(cells, checks) -> bool:
    try:
        with notebook_of(cells):
            for part in PARTS:
                change, num_heads = checks.CHANGES[f"without {part}"]
                checks.run_of(change, num_heads, seed=0, last_step=1)
    except (AttributeError, AssertionError):  # members have names of their own
        return False
    return True
