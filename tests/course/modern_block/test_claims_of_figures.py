"""What is said of the figures of `modern-block`, in and beside them, against how they are drawn."""

from functools import partial
from pathlib import Path

import pytest
import torch
from drawn_figures import description, elements, numbers, words
from notebook_cells import sources_of
from torch.nn import functional as F

from autograder import find_course
from autograder.authoring.edited import as_edited, find_source
from autograder.authoring.exercise_table import exercise_table

COURSE = find_course()
cells = partial(sources_of, "modern-block", COURSE)


def figure(name: str) -> Path:
    return COURSE.source / "modern-block" / "figures" / f"{name}.svg"


def texts(name: str) -> tuple[str, str]:
    """What the notebook says of a figure, and what the figure says of itself."""
    return cells()[f"{name}_figure"], description(figure(name))


def test_the_norm_of_one_token_comes_out():
    x, gamma = torch.tensor([1.0, -7, 5, 5]), torch.tensor([1, 2, 1, 0.5])
    normed = F.rms_norm(x, (4,))
    square = x.square().mean().view(1)
    steps = torch.cat([x, square, square.sqrt(), normed, gamma, gamma * normed]).tolist()
    for text in texts("rms_norm"):
        assert numbers(text)[-len(steps) :] == pytest.approx(steps)
        assert "four tokens by four features" in text
    table = [one for one in elements(figure("rms_norm"), "rect") if one.get("width") == "34"]
    assert len(table) == 4 * 4
    steps = torch.cat([x, square, normed, gamma * normed, gamma]).tolist()
    assert numbers(words(figure("rms_norm")))[-len(steps) :] == pytest.approx(steps)


MENTIONED = {  # where exercises are named by their number
    "overview": [
        "Exercise {modern_stack} is a stack of blocks of exercise {modern_block},",
        "RMSNorm of exercise {rms_norm},", "SwiGLU of exercise {swiglu} and",
        "{count_parameters} counts parameters, {fold_centering} folds the mean",
        "{pre_norm_feed_forward} writes a feed forward layer with the norm before it",
        "{gradient_by_layer} measures gradients by layer, {find_the_block} finds out",
        "{explain_depth} explains depth",
    ],
    "how_it_is_graded": ["`gamma` in exercise {rms_norm}."],
    "fold_centering_check": ["exercise {rms_norm} may still be open"],
    "modern_block_hints": ["classes of exercises {rms_norm} and {swiglu}"],
    "modern_stack_check": ["exercise {modern_block} may still be open"],
    "explain_depth_contract": ["measured in exercise {gradient_by_layer}"],
    "explain_depth_hints": ["curves of exercise {gradient_by_layer}"],
    "claims_rescale_seen": ["as in exercise {fold_centering}."],
    "next_depth": ["from which exercise {fold_centering} is"],
}  # fmt: skip


def test_exercises_are_called_by_their_numbers():
    table = exercise_table(as_edited(find_source("modern-block", COURSE)).cells)
    number = {id: exercise.number for id, exercise in table.items()}
    for cell, sentences in MENTIONED.items():
        for sentence in sentences:
            assert sentence.format_map(number) in cells()[cell]
    for sentence in MENTIONED["overview"]:
        assert sentence.format_map(number) in description(figure("overview"))
    badge, drawn = "", {}
    for one in elements(figure("overview"), "text"):
        badge = one.text if one.get("class") == "number" else badge
        drawn.setdefault(one.get("data-exercise"), badge)
    drawn.pop(None)
    assert drawn == number
