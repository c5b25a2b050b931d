"""What figures and descriptions of pictures say of who depends on whom, counted and computed."""

import re
from functools import partial
from unittest import mock
from xml.etree import ElementTree

import torch
from notebook_cells import checks_of, sources_of
from torch import nn

from autograder import find_course
from autograder.authoring.toolbox_file import toolbox_module
from autograder.graders.layer_norm import reference

COURSE = find_course()
SOURCE = COURSE.source / "layer-norm"
cells = partial(sources_of, "layer-norm", COURSE)
SVG = "{http://www.w3.org/2000/svg}"


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


def boxes(figure: str, kind: str) -> list[tuple[float, float]]:
    """x and y of each box of a class: a rectangle of its own, or one of a grid, which is a path."""
    tree = ElementTree.parse(SOURCE / "figures" / f"{figure}.svg")
    own = [one for one in tree.iter(f"{SVG}rect") if one.get("class") == kind]
    found = [(float(one.get("x", 0)), float(one.get("y", 0))) for one in own]
    for grid in tree.iter(f"{SVG}path"):
        if grid.get("class") == kind:
            places = re.findall(r"M(\S+) (\S+?)h\S+z", grid.get("d", ""))
            found += [(float(x), float(y)) for x, y in places]
    return found


def test_batch_norms_figure_counts_right():
    numbers = boxes("batch_norm", "norm")
    pixels = [box for box in numbers if box[0] < 340]
    tokens = [box for box in numbers if box[0] > 340]
    columns = sorted({x for x, _ in tokens})
    counts = [sum(x == column for x, _ in tokens) for column in columns]
    text = (SOURCE / "figures/batch_norm.svg").read_text()
    assert (len(pixels), counts) == (48, [3, 3, 2, 2, 1, 1])
    assert re.findall(r'class="middle" x="\d+" y="\d+">(\d)<', text) == [str(n) for n in counts]
    assert f"{len(pixels)} numbers" in text and f"{len(tokens)} tokens" in text
    padding = len(boxes("batch_norm", "padding"))
    assert f"{padding} of padding" in text
    assert f"over {len(tokens)} numbers, or over all {len(tokens) + padding}" in text
    assert "all 48 numbers" in cells()["explain_batch_norm_figure"]
    assert "3, 3, 2, 2, 1 and 1 numbers" in cells()["explain_batch_norm_figure"]


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


def test_a_kernel_of_three_moves_five_words():
    (moves,) = drawn("as_convolution_picture")
    columns = {title: (table > 1e-6).any(0).tolist() for title, table in moves.items()}
    assert columns["yours"] == [False, False, True, False, False, False]
    assert columns["kernel size 3"] == [True] * 5 + [False]
    assert "and yet five move" in cells()["as_convolution_try"]


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


def test_the_figures_blocks_are_pre_norm_and_post_norm():
    """Read from the bottom: left the norm comes before the sub-layer, right behind the plus sign."""
    (left_norm, right_norm) = sorted(boxes("quiz", "norm"))
    (left_layer, right_layer) = sorted(boxes("quiz", "layer"))
    assert left_norm[1] > left_layer[1] and right_norm[1] < right_layer[1]
