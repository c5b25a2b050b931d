"""Exercise 3: a linear layer whose answers have the mean zero. The linear layers are torch's own."""

import pytest
import torch
from torch import nn

from .reference import fold_centering

D_IN, D_OUT, BATCH, SEQ = 5, 7, 3, 4  # pairwise different


@pytest.fixture
def x():
    return torch.randn(BATCH, SEQ, D_IN)


@pytest.fixture
def fold(candidate):
    """fold(bias=True, times=1, dtype=""): what their function makes of a linear layer with numbers so many
    times as large, that layer, and ours with the same numbers.
    """

    def make(bias=True, times=1, dtype=""):
        ours = nn.Linear(D_IN, D_OUT, bias)
        state = {name: times * (1 + torch.randn(p.shape)) for name, p in ours.named_parameters()}
        ours.load_state_dict(state)
        theirs = candidate.build_torch("Linear", D_IN, D_OUT, bias, dtype=dtype)
        theirs.load_state_dict(state)
        return candidate.build("fold_centering", theirs), theirs, ours

    return make


def made(folded, ours, x):
    """What a layer answers that was made of one with the large numbers of ours. Of one that computes small
    ones, or the same as the old one did, nobody can ask how it was made.
    """
    answer = folded(x)
    assert bool((answer.abs() > 20).any()), (
        "With large numbers in the linear layer, yours computes small ones. Where do its own come from?"
    )
    before = ours(x.to(ours.weight.dtype)).to(answer.dtype)
    assert not torch.allclose(answer, before, rtol=0.02, atol=2), (
        "Your layer answers what the old one answers. What does the statement take away?"
    )
    return answer


@pytest.mark.points(1)
def test_weights_take_the_mean_of_each_token_away(fold, x, tensors_agree):
    """Compare your answer to x with that to zeros: is the mean of each token gone? Over which axis of
    the weight, which is (out, in), is your mean?"""
    folded, _, ours = fold()
    answer, at_zero = folded.each((x,), (torch.zeros_like(x),))
    right = fold_centering(ours)
    assert tensors_agree(answer - at_zero, right(x) - right(torch.zeros_like(x)))


@pytest.mark.points(0.25)
def test_bias_loses_its_mean(fold, x, tensors_agree):
    """What does your layer answer to zeros, and what is the mean of that?"""
    folded, _, ours = fold()
    zeros = torch.zeros_like(x)
    assert tensors_agree(folded(zeros), fold_centering(ours)(zeros))


@pytest.mark.points(0.5)
def test_layer_without_bias_gets_none(fold, x, noted):
    """What is `linear.bias` where there is none, and what does your function make of that?"""
    folded, _, ours = fold(bias=False, times=100)
    made(folded, ours, x)
    assert noted(len(folded.parameters())) == 1, "Your layer has a bias where the old one has none."


@pytest.mark.points(0.25)
def test_it_is_one_linear_layer(fold, x, noted):
    """The statement asks for an `nn.Linear`, of the old sizes. What does `print` show of yours?"""
    folded, _, ours = fold(times=100)
    made(folded, ours, x)
    kinds = noted([module.is_a("Linear") for module in folded.modules()])
    shapes = noted(sorted(one.shape for one in folded.parameters()))
    assert kinds == [True] and shapes == [(D_OUT,), (D_OUT, D_IN)]


@pytest.mark.points(0.25)
def test_new_layer_has_the_type_of_the_old_one(fold, x, noted):
    """The old layer holds float16. Which dtype have the weight and the bias of yours?"""
    low = x.half()
    folded, _, ours = fold(times=100, dtype="float16")
    assert noted(str(made(folded, ours, low).dtype)) == str(low.dtype)


@pytest.mark.points(0.25)
def test_new_layer_learns_and_is_a_copy(fold, x, tensors_agree, noted):
    """The old layer was given other weights, and yours computes something else since then."""
    folded, linear, ours = fold(times=100)
    before = made(folded, ours, x)
    learned = [one.requires_grad for one in folded.parameters()]
    assert noted(len(learned) == 2 and all(learned)) and folded.learns(x), (
        "Which weight and bias would an optimizer find in your layer, and does gradient arrive there?"
    )
    linear.load_parameters({one.name: torch.randn(one.shape) for one in linear.parameters()})
    assert tensors_agree(folded(x), before)


@pytest.mark.points(0.5)
def test_old_layer_stays_as_it_is(fold, x, tensors_agree, noted):
    """After the call the old layer computes something else. What did you write into it?"""
    folded, linear, ours = fold(times=100)
    assert tensors_agree(linear(x), ours(x))
    made(folded, ours, x)
    learned = all(one.requires_grad for one in linear.parameters())
    assert noted(learned and linear.learns(x)), "After the call the old layer can no longer learn."
