"""Pictures: read by eyes on any page, by screen readers, and drawn whatever the numbers are."""

import re
import warnings

import pytest
import torch

pytestmark = pytest.mark.slow

SENTENCE = '<b>"weights" & more'


def test_a_sentence_stands_for_the_picture_and_is_data(toolbox, shown):
    grid = torch.eye(2, requires_grad=True)
    toolbox.heatmaps({"weights": grid}, ["a", "b"], ["a", "b"], alt=SENTENCE)
    page = shown.pages()
    assert (
        'alt="&lt;b&gt;&quot;weights&quot; &amp; more weights: 0 to 1, most in row a, column a, 2 of 4 are 0."'
        in page
    )
    assert "data:image/png;base64," in page and not toolbox.plt.get_fignums()


@pytest.mark.parametrize("number", [0.0, 3.0, float("nan"), float("inf"), -float("inf")])
def test_any_numbers_can_be_drawn_beside_the_target(toolbox, number, shown):
    yours = torch.full((2, 3), number)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        toolbox.beside_target(yours, torch.zeros(2, 3), (12, 0))
    assert "Your numbers, the target, the difference." in shown.pages()


@pytest.mark.parametrize(
    ("grid", "said"),
    [
        (torch.eye(2).flip(0) / 2, "w: 0 to 0.5, most in row the, column mat, 2 of 4 are 0."),
        (torch.tensor([[-1.0, 2], [3, -4]]), "w: -4 to 3, most in row cat, column sat."),
        (torch.full((2, 2), 0.25), "w: 0.25 to 0.25, most in row the, column sat."),
    ],
)
def test_the_sentence_says_how_the_picture_came_out(toolbox, shown, grid, said):
    toolbox.heatmaps({"w": grid}, ["the", "cat"], ["sat", "mat"], "Weights.")
    assert f'alt="Weights. {said}"' in shown.pages()


def test_a_layer_in_the_place_of_a_grid_is_named(toolbox):
    with pytest.raises(toolbox.Differs, match="w: this is no tensor but a layer, ReLU: it is made"):
        toolbox.heatmaps({"w": torch.nn.ReLU()}, ["the", "cat"])


def test_numbers_that_are_none_are_counted(toolbox, shown):
    grid = torch.tensor([[1.0, float("nan")], [float("inf"), 0.0]])
    toolbox.heatmaps({"w": grid}, ["a", "b"], ["c", "d"])
    assert "w: 2 of 4 are no numbers" in shown.said() and "nan" not in shown.said()


@pytest.mark.parametrize(("many", "columns"), [(3, 7), (6, 7), (4, 12)])
def test_grids_side_by_side_fit_on_a_page_of_775_pixels(toolbox, shown, many, columns):
    toolbox.heatmaps({f"head {i}": torch.rand(5, columns) for i in range(many)}, ["a"] * 5)
    least = re.search(r"max-width: max\(100%, (\d+)px\)", shown.pages())
    assert int(least[1]) <= 775
