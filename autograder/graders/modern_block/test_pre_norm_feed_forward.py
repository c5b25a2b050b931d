"""Exercise 5: a feed forward sub-layer with its norm inside. Names and layout of the weights are free."""

import pytest
import torch

from . import sub_layers
from .norms import tokens
from .sub_layers import BATCH, D_FF, D_MODEL, SEQ, nearest, with_weights


@pytest.fixture
def x():
    """(batch, seq, d_model): tokens of different means and sizes."""
    return tokens(BATCH, SEQ, D_MODEL)


@pytest.fixture
def layer(candidate):
    return sub_layers.build(candidate)


@pytest.fixture
def answer(layer, x):
    """What a layer answers whose matrices have a part in that: of another one nobody can ask more."""
    with_weights(layer)
    before = layer(x)
    with_weights(layer)
    assert not torch.allclose(layer(x), before), (
        "With other matrices your layer answers the same. Where do they come in?"
    )
    return layer(x)


@pytest.mark.points(0.75)
def test_what_is_added_comes_from_the_normed_token(layer, x, tensors_agree):
    """Follow one token into the branch: what comes first, norm or linear layer, where does the ReLU
    act, and does anything act at the end?"""
    reference = with_weights(layer, vectors=torch.randn)
    answer = layer(x)
    assert tensors_agree(answer, nearest(answer, reference, x))


@pytest.mark.points(0.5)
def test_x_is_added_as_it_is(layer, x, answer, tensors_agree, answer_or_none):
    """With zeros in all weights the branch adds nothing. What is left then, and is it x, as it came in,
    once?"""
    with_weights(layer, torch.zeros, torch.zeros)
    assert tensors_agree(layer(x), x)
    if answer_or_none(lambda: layer.unchanged(x)) is None:  # another check asks for that
        return
    upstream = torch.randn(x.shape)
    (gradient,) = layer.gradients(x, upstream=upstream).arguments
    assert tensors_agree(gradient, upstream), "Which gradient comes back along the residual?"


@pytest.mark.points(0.25)
def test_norm_and_both_linear_layers_are_learned(layer, x, answer, noted, answer_or_none):
    """What does `[p.shape for p in layer.parameters()]` list? A LayerNorm has two vectors, each linear
    layer a weight and a bias, and gradient arrives at all of them."""
    learned = sub_layers.learned(layer)
    shapes = sorted(tuple(sorted(one)) for p in learned for one in sub_layers.members(p.shape))
    vectors = [(D_MODEL,)] * 3 + [(D_FF,)]
    assert noted(shapes) == sorted([(D_MODEL, D_FF)] * 2 + vectors)
    with_weights(layer)
    changes_x = answer_or_none(lambda: layer.unchanged(x)) is None  # another check asks for that
    assert changes_x or noted(layer.learns(x))


@pytest.mark.points(0.25)
def test_eps_is_that_of_torch(layer, x, answer, tensors_agree):
    """Tokens whose features hardly differ come out otherwise. Which eps has `nn.LayerNorm(d_model)`?"""
    near = 2e-3 * x
    with_weights(layer, torch.zeros, torch.zeros)
    unbranched = torch.stack(layer.each((x,), (near,)))  # another residual costs its own check
    with_weights(layer, sub_layers.small, sub_layers.wide_open)  # linear in what is normed
    answers = torch.stack(layer.each((x,), (near,)))
    far, close = answers - unbranched - layer(0 * x)
    variance = near.var(-1, correction=0, keepdim=True)
    assert tensors_agree(30 * close, 30 * far * torch.sqrt(variance / (variance + 1e-5)))


@pytest.mark.points(0.25)
def test_answer_comes_alone_and_input_stays_as_it_was(layer, x, answer, tensors_agree):
    """In training, the layer answers otherwise. Nobody asked for dropout here."""
    assert tensors_agree(layer.train().strictly(x), answer)
