"""Pictures that cells and checks draw: as wide as a page, and described as they came out."""

import math
import re

import pytest
import torch
from notebook_cells import checks_of, sources_of

from autograder.authoring.toolbox.pictures import WIDEST

ASSIGNMENTS = "encoder-layer", "layer-norm"
WIDTH = re.compile(r"figsize\W{1,4}(\d+(?:\.\d+)?),")


@pytest.fixture
def drawn(course, monkeypatch):
    """The checks of encoder-layer, and what they show: figures and sentences."""
    checks, shown = checks_of("encoder-layer", course), []
    monkeypatch.setattr(checks, "show", lambda *picture: shown.append(picture))
    monkeypatch.setattr(checks, "table", lambda *table: None)
    return checks, shown


@pytest.mark.parametrize("id", ASSIGNMENTS)
def test_no_figure_is_wider_than_a_page(id, course):
    checks = "".join(file.read_text() for file in (course.source / id).glob("*_checks.py"))
    widths = WIDTH.findall(checks + "".join(sources_of(id, course).values()))
    assert widths and max(map(float, widths)) <= WIDEST


@pytest.mark.parametrize("many", [1, 5, 6])
def test_variants_go_on_below_where_the_page_ends(drawn, many):
    checks, shown = drawn
    seeds = [checks.Run([0.5] * 200, torch.zeros(1, 2, 3))] * 3
    checks.show_runs(dict.fromkeys([*checks.CHANGES][:many], seeds), {})
    ((figure, _),) = shown
    assert figure.get_figwidth() <= WIDEST
    assert sum(ax.get_visible() for ax in figure.axes) == many


@pytest.mark.parametrize(
    ("losses", "said"),
    [([3.25, 1.0, 0.01], "goes from 3.2 to 0.01."), ([3.2, math.nan, math.nan], "from step 1 on.")],
)
def test_the_sentence_of_a_loss_says_how_it_came_out(drawn, losses, said):
    checks, shown = drawn
    checks.plot_losses(losses)
    assert shown[0][1].endswith(said)


def test_no_sentence_claims_a_diagonal(course):
    assert "diagonal" not in sources_of("encoder-layer", course)["demo_attention"]
