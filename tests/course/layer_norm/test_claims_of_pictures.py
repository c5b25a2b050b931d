"""What figures and descriptions of pictures say of who depends on whom, counted and computed."""

from functools import partial
from unittest import mock

import torch
from notebook_cells import checks_of, sources_of
from torch import nn

from autograder import find_course
from autograder.authoring.toolbox_file import toolbox_module
from autograder.graders.layer_norm import reference

COURSE = find_course()
cells = partial(sources_of, "layer-norm", COURSE)


def drawn(cell: str) -> list[dict]:
    """The tables that a picture's cell hands over to be shown."""
    checks_of("layer-norm", COURSE)
    shown: list = []

    def heatmaps(tables, *rest):
        shown.append({title: table.detach() for title, table in tables.items()})

    space = {"torch": torch, "nn": nn, "depends_on": reference.depends_on}
    space["as_convolution"] = reference.as_convolution
    with mock.patch.object(toolbox_module(), "heatmaps", heatmaps):
        exec(cells()[cell], space)
    return shown


def test_who_moves_is_as_it_is_described():
    """One place, its row, all: as the picture's sentence says, and the words above it."""
    (moves,) = drawn("who_depends_picture")
    where = {title: table > 1e-4 for title, table in moves.items()}
    one, row = torch.zeros(3, 4, dtype=torch.bool), torch.zeros(3, 4, dtype=torch.bool)
    one[1, 2], row[1] = True, True
    all_of_them = torch.ones(3, 4, dtype=torch.bool)
    expected = {
        "layer norm:\nneither": one,
        "batch norm, training:\nboth": all_of_them,
        "batch norm, evaluation:\nneither": one,
        "instance norm:\npositions": row,
    }
    assert list(where) == list(expected)
    assert all(torch.equal(where[title], table) for title, table in expected.items())


def test_one_sentence_in_four_surroundings():
    """Layer norm gives one answer, batch norm another each time."""
    batch, layer = drawn("explain_batch_norm_picture")
    first, *others = layer.values()
    assert len(others) == 3 and all(torch.allclose(one, first, atol=1e-6) for one in others)
    tables = list(batch.values())
    assert len(tables) == 4
    for i, one in enumerate(tables):
        assert all((one - other).abs().max() > 0.3 for other in tables[:i])


def test_pre_norm_grows_and_post_norm_does_not(monkeypatch):
    """The left curve of the quiz's picture, on every seed tried."""
    checks, seen = checks_of("layer-norm", COURSE), []
    monkeypatch.setattr(checks, "draw_sizes", lambda *sides: seen.append(sides))
    for seed in range(20):
        source = cells()["quiz_picture"].replace("manual_seed(1)", f"manual_seed({seed})")
        exec(source, {"torch": torch, "nn": nn})
        left, right = ([token.std().item() for token in side] for side in seen[seed])
        assert left[-1] > 1.5 * left[0]
        assert all(abs(one - 1) < 0.02 for one in right[1:])
        if seed == 1:
            assert left == sorted(left)
