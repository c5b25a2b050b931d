"""Exercise 2: softmax, a function."""

import pytest
import torch

from .reference import softmax


@pytest.fixture
def scores():
    return torch.randn(3, 5)


@pytest.mark.points(1.5)
def test_weights_are_those_of_the_equation(candidate, tensors_agree, scores):
    weights = candidate.function("softmax").unchanged(scores)
    assert tensors_agree(weights, softmax(scores)), "Over which axis do your weights add up to 1?"


@pytest.mark.points(0.5)
def test_large_scores_give_numbers(candidate, tensors_agree, scores):
    large = 1000 * (1 + scores.abs())
    weights = candidate.function("softmax")(large)
    assert tensors_agree(weights, softmax(large)), (
        "How large is exp(1000)? What may be subtracted from all scores without a change?"
    )
