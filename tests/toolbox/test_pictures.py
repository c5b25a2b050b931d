"""Pictures: read by eyes on any page, by screen readers, and drawn whatever the numbers are."""

import warnings

import pytest
import torch

SENTENCE = '<b>"weights" & more'


def test_a_sentence_stands_for_the_picture_and_is_data(toolbox, shown):
    grid = torch.eye(2, requires_grad=True)
    toolbox.heatmaps({"weights": grid}, ["a", "b"], ["a", "b"], alt=SENTENCE)
    page = shown.pages()
    assert 'alt="&lt;b&gt;&quot;weights&quot; &amp; more"' in page
    assert "data:image/png;base64," in page and not toolbox.plt.get_fignums()


@pytest.mark.parametrize("number", [0.0, 3.0, float("nan"), float("inf"), -float("inf")])
def test_any_numbers_can_be_drawn_beside_the_target(toolbox, number, shown):
    yours = torch.full((2, 3), number)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        toolbox.beside_target(yours, torch.zeros(2, 3), (12, 0))
    assert "Your numbers, the target, the difference." in shown.pages()


def test_tables_are_numbered_from_their_corner_on(toolbox, shown):
    drawn = {}
    toolbox.heatmaps = lambda tables, rows, columns, *_: drawn.update(rows=rows, columns=columns)
    toolbox.beside_target(torch.ones(2, 3), torch.zeros(2, 3), (12, 24))
    assert drawn == {"rows": ["12", "13"], "columns": ["24", "25", "26"]}


def test_a_word_has_one_vector_in_every_sentence(toolbox, shown):
    first, second = toolbox.word_vectors(["the", "cat"], 8), toolbox.word_vectors(["cat"], 8)
    assert torch.equal(first[1], second[0]) and not torch.equal(first[0], first[1])
