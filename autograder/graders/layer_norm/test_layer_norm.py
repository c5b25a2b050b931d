"""Exercise 2: layer normalisation. Where it can be, the student's layer is compared with itself, so that
each mistake costs its own check: whoever divides by n - 1 still earns what is right about eps.
"""

import pytest
import torch

from . import norms
from .norms import build, normalised
from .reference import normalise


@pytest.mark.points(0.75)
def test_features_of_each_token_are_normalised(layer, x, tensors_agree):
    """Follow one token through the equation: what is its mean, what is its variance (over how many
    numbers), what is divided by what?"""
    assert tensors_agree(layer(x), normalise(x))


@pytest.mark.points(0.25)
def test_each_token_is_normalised_by_itself(layer, x, answer, tensors_agree):
    """A token alone is answered otherwise than among others. Over which axes is your mean?"""
    alone = layer.each(*((token.view(1, 1, -1),) for token in x.flatten(0, 1)))
    assert tensors_agree(torch.cat(alone).view_as(x), answer)


@pytest.mark.points(0.5)
def test_any_number_of_axes_may_lead(layer, x, tensors_agree):
    """Behind another number of axes, a token gets another answer. Which axis is the last one?"""
    for other, three in norms.with_other_axes(x):
        assert tensors_agree(layer(other).reshape(three.shape), normalised(layer, three))


@pytest.mark.points(0.25)
def test_gamma_begins_at_1_and_beta_at_0(candidate, x, tensors_agree):
    """Before it has learned anything, a layer only normalises. Where do gamma and beta begin?"""
    fresh = candidate.build("LayerNorm", x.size(-1)).expect(lambda x: x.shape)
    assert tensors_agree(fresh(x), normalised(build(candidate, x.size(-1)), x))


@pytest.mark.points(0.5)
def test_gamma_and_beta_are_learned_one_number_for_each_feature(
    layer, x, noted, answer_or_none, number_is_close
):
    """What does `[p.shape for p in layer.parameters()]` list? The equation has a gamma and a beta
    for each feature, and both are learned."""
    assert noted(norms.learned_shapes(layer, x.size(-1))) == [(x.size(-1),)] * 2
    changed = answer_or_none(lambda: layer.unchanged(x)) is None  # another check asks for that
    gradients = answer_or_none(lambda: layer.gradients(x).parameters.values())
    assert noted(changed or (gradients is not None and all(map(norms.arrives, gradients)))), (
        f"Does gradient arrive at gamma, and at beta? {norms.UNCUT}"
    )
    assert changed or number_is_close(layer.slope_of_parameters(x), 1, within=0.03), (
        "Your gradient of gamma and beta says something else than a small step of both does. Over "
        "which tokens does your own backward add up?"
    )


@pytest.mark.points(0.5)
def test_gamma_scales_and_beta_shifts_what_is_normalised(layer, x, tensors_agree):
    """With another gamma and beta: is what is normalised times gamma, and beta added after that?"""
    plain = normalised(layer, x)
    gamma, beta = norms.give_gamma_and_beta(layer, x.size(-1))
    assert tensors_agree(layer(x), gamma * plain + beta)


@pytest.mark.points(0.25)
def test_gradient_comes_back_through_mean_and_variance(candidate, x, tensor_is_zero, noted):
    """A token that is shifted or stretched gets the same answer. The gradient of yours says
    something else. Does mean or variance come from `detach`, `.data`, `.item()` or `no_grad`?"""
    (gradient,) = build(candidate, x.size(-1), 1e-9).gradients(x).arguments
    assert noted(norms.arrives(gradient)), f"Does gradient arrive at the input? {norms.UNCUT}"
    shift_and_stretch = torch.stack([torch.ones_like(x), x - x.mean(-1, keepdim=True)])
    assert tensor_is_zero((gradient * shift_and_stretch).sum(-1))


@pytest.mark.points(0.5)
def test_eps_is_the_argument_and_stands_under_the_root(candidate, x, tensors_agree):
    """Is a large eps the one that your constructor gets, and added before the root or after it?"""
    eps = 1.5 + torch.rand(()).item()
    far, near = build(candidate, x.size(-1), eps).each((1e4 * x,), (x,))  # from eps
    variance = x.var(-1, correction=0, keepdim=True) / far.var(-1, correction=0, keepdim=True)
    assert tensors_agree(near, far * torch.sqrt(variance / (variance + eps)))


@pytest.mark.points(0.25)
def test_eps_is_1e_6_unless_another_is_given(candidate, layer, x, tensors_agree):
    """Which eps does a layer get that is told none?"""
    given = normalised(build(candidate, x.size(-1), 1e-6), 1e-3 * x)  # variances of about 1e-6
    assert tensors_agree(layer(1e-3 * x), given)


@pytest.mark.points(0.25)
def test_token_of_equal_features_becomes_beta(layer, x, answer, tensor_is_zero):
    """All features of a token are equal: what is its variance, and what is it divided by?"""
    assert tensor_is_zero(layer(x[..., :1].round().expand_as(x)))


@pytest.mark.points(0.25)
def test_large_mean_costs_no_digits(candidate, number_is_close, noted, unrecorded):
    """A token with a large mean and the same token without it get different answers. Which two
    large numbers are subtracted from each other in your variance?"""
    layer = build(candidate, 8)
    with unrecorded():
        near, far = norms.with_a_large_mean(layer)
        close = number_is_close((far - near).abs().max(), 0, within=0.01)  # torch's own loses some
    assert noted(close)


@pytest.mark.points(0.25)
def test_answer_comes_alone_and_input_stays_as_it_was(layer, x, answer, tensors_agree):
    assert tensors_agree(layer.strictly(x), answer)


@pytest.mark.points(0.25)
def test_norm_is_your_own(layer, x, tensors_agree, noted):
    """The statement asks for a layer without torch's own norms: which of your lines calls one?"""
    called = layer.library_calls(x)  # also for a note to staff: see LIBRARY_PARTS
    answer = normalised(layer, 1e3 * x)
    assert tensors_agree(layer(1e4 * x), answer), (
        "Ten times a token is answered otherwise than the token. What is it divided by?"
    )
    assert noted(not norms.READY_MADE & called)


@pytest.mark.points(0.25)
def test_training_changes_nothing(layer, x, answer, tensors_agree):
    """In training, a token gets another answer. What does your layer keep, or draw at random?"""
    trained = layer.train()(x)
    assert tensors_agree(trained, answer) and tensors_agree(layer.eval()(x), answer)
