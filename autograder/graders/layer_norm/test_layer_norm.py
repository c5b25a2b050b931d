"""Exercise 2: layer normalisation. Where it can be, the student's layer is compared with itself, so that
each mistake costs its own check: whoever divides by n - 1 still earns what is right about eps.
"""

import pytest
import torch

from . import LIBRARY_PARTS
from .norms import build, draw_sizes, give_gamma_and_beta, normalised, tokens
from .reference import normalise

READY_MADE = {path.rpartition(".")[2] for path in LIBRARY_PARTS["layer_norm"]}
UNCUT = (
    "`detach`, `.data`, `.item()` and `no_grad` take a number out of the graph. Which does yours?"
)


@pytest.mark.points(0.75)
def test_features_of_each_token_are_normalised(candidate, tensors_agree):
    batch, seq, d_model = draw_sizes()
    x = tokens(batch, seq, d_model)
    assert tensors_agree(build(candidate, d_model)(x), normalise(x)), (
        "Follow one token through the equation: what is its mean, what is its variance (over how "
        "many numbers), what is divided by what?"
    )


@pytest.mark.points(0.25)
def test_each_token_is_normalised_by_itself(candidate, tensors_agree):
    batch, seq, d_model = draw_sizes()
    layer, x = build(candidate, d_model), tokens(batch, seq, d_model)
    single = ((token.view(1, 1, -1),) for token in x.flatten(0, 1))
    whole, alone = normalised(layer, x), layer.each(*single)
    assert tensors_agree(torch.cat(alone).view_as(x), whole), (
        "A token alone is answered otherwise than among others. Over which axes do mean and "
        "variance go?"
    )


@pytest.mark.points(0.5)
def test_any_number_of_axes_may_lead(candidate, tensors_agree):
    batch, seq, d_model = draw_sizes()
    layer = build(candidate, d_model)
    x = tokens(batch, seq, 2, d_model)
    for other, known in (
        (x, x.flatten(1, 2)),
        (x[:, 0, 0], x[:, 0, :1]),
        (x[0, 0, 0], x[:1, 0, :1]),
    ):
        one, three = layer(other), normalised(layer, known)
        assert tensors_agree(one.reshape(three.shape), three), (
            "The same tokens, and another number of axes before the features: another answer. "
            "Which axis is the last one, however many there are?"
        )


@pytest.mark.points(0.25)
def test_gamma_begins_at_1_and_beta_at_0(candidate, tensors_agree):
    batch, seq, d_model = draw_sizes()
    x = tokens(batch, seq, d_model)
    fresh = candidate.build("LayerNorm", d_model).expect(lambda x: x.shape)
    assert tensors_agree(fresh(x), normalised(build(candidate, d_model), x)), (
        "Before it has learned anything, a layer only normalises. Where do gamma and beta begin?"
    )


@pytest.mark.points(0.5)
def test_gamma_and_beta_are_learned_one_number_for_each_feature(candidate, noted, answer_or_none):
    batch, seq, d_model = draw_sizes()
    layer = build(candidate, d_model)
    learned = {p.identity: p.shape for p in layer.parameters() if p.requires_grad}
    shapes = noted([tuple(size for size in shape if size > 1) for shape in learned.values()])
    assert shapes == [(d_model,)] * 2, (
        "What does `[p.shape for p in layer.parameters()]` list? The equation has a gamma and a "
        "beta for each feature, and both are learned."
    )
    x = tokens(batch, seq, d_model)
    gradients = answer_or_none(lambda: layer.gradients(x).parameters)
    changed = answer_or_none(lambda: layer.unchanged(x)) is None  # another check asks for that
    arrived = [g is not None and bool(g.any()) for g in (gradients or {}).values()]
    assert noted(changed or (all(arrived) and gradients is not None)), (
        f"Does gradient arrive at gamma, and at beta? {UNCUT}"
    )


@pytest.mark.points(0.5)
def test_gamma_scales_and_beta_shifts_what_is_normalised(candidate, tensors_agree):
    batch, seq, d_model = draw_sizes()
    layer, x = build(candidate, d_model), tokens(batch, seq, d_model)
    normalised = layer(x)
    gamma, beta = give_gamma_and_beta(layer, d_model)
    assert tensors_agree(layer(x), gamma * normalised + beta), (
        "With another gamma and another beta: is what is normalised multiplied by gamma, and is "
        "beta added after that?"
    )


@pytest.mark.points(0.25)
def test_gradient_comes_back_through_mean_and_variance(candidate, tensor_is_zero, noted):
    batch, seq, d_model = draw_sizes()
    x = tokens(batch, seq, d_model)
    (gradient,) = build(candidate, d_model, 1e-9).gradients(x).arguments
    assert noted(gradient is not None and bool(gradient.any())), (
        f"Does gradient arrive at the input? {UNCUT}"
    )
    centred = x - x.mean(-1, keepdim=True)
    for direction in (torch.ones_like(x), centred):  # along both, the answer stays as it is
        assert tensor_is_zero((gradient * direction).sum(-1)), (
            "A token that is shifted or stretched gets the same answer. The gradient of yours says "
            f"something else. {UNCUT}"
        )


@pytest.mark.points(0.5)
def test_eps_is_the_argument_and_stands_under_the_root(candidate, tensors_agree):
    batch, seq, d_model = draw_sizes()
    eps = 1.5 + torch.rand(()).item()
    layer, x = build(candidate, d_model, eps), tokens(batch, seq, d_model)
    far, near = layer.each((1e4 * x,), (x,))  # of large numbers eps takes nothing
    variance = x.var(-1, correction=0, keepdim=True) / far.var(-1, correction=0, keepdim=True)
    assert tensors_agree(near, far * torch.sqrt(variance / (variance + eps))), (
        "With a large eps: what is it added to, before the root or after it? And is it the one "
        "that your constructor gets?"
    )


@pytest.mark.points(0.25)
def test_eps_is_1e_6_unless_another_is_given(candidate, tensors_agree):
    batch, seq, d_model = draw_sizes()
    x = 1e-3 * tokens(batch, seq, d_model)  # variances of about 1e-6
    default, given = build(candidate, d_model), build(candidate, d_model, 1e-6)
    assert tensors_agree(default(x), normalised(given, x)), (
        "Which eps does a layer get that is told none?"
    )


@pytest.mark.points(0.25)
def test_token_of_equal_features_becomes_beta(candidate, tensor_is_zero):
    batch, seq, d_model = draw_sizes()
    x = torch.randint(-9, 9, (batch, seq, 1)).expand(-1, -1, d_model).to(torch.get_default_dtype())
    layer = build(candidate, d_model)
    normalised(layer, tokens(batch, seq, d_model))
    assert tensor_is_zero(layer(x)), (
        "All features of a token are equal: what is its variance, and what is it divided by? With "
        "a beta of zeros, zeros are left."
    )


@pytest.mark.points(0.25)
def test_large_mean_costs_no_digits(candidate, number_is_close):
    layer, x = build(candidate, 8), tokens(4, 5, 8)
    fine, coarse = normalised(layer, x), layer(x.float().to(x.dtype))
    in_float32 = x.dtype == torch.float32 or torch.equal(fine, coarse)  # inside, at least
    offset = 2.0**14 if in_float32 else 2.0**28
    eighths = torch.randint(-70, 70, x.shape).to(x.dtype) / 8  # sums are exact, squares are not
    shifted, answer = layer.each((eighths + offset,), (eighths,))
    farthest = (shifted - answer).abs().max()
    assert number_is_close(farthest, 0, within=0.01), (  # torch's own loses some digits, too
        "A token with a large mean and the same token without it get different answers. Which two "
        "large numbers are subtracted from each other in your variance?"
    )


@pytest.mark.points(0.25)
def test_answer_comes_alone_and_input_stays_as_it_was(candidate):
    batch, seq, d_model = draw_sizes()
    layer, x = build(candidate, d_model), tokens(batch, seq, d_model)
    normalised(layer, x)
    layer.strictly(x)


@pytest.mark.points(0.25)
def test_norm_is_your_own(candidate, tensors_agree, noted):
    batch, seq, d_model = draw_sizes()
    layer, x = build(candidate, d_model), 1e3 * tokens(batch, seq, d_model)
    small = normalised(layer, x)
    assert tensors_agree(layer(10 * x), small), (
        "Ten times a token is answered otherwise than the token. What is it divided by?"
    )
    assert noted(not READY_MADE & layer.library_calls(x)), (
        "The statement asks for a layer without torch's own norms: which of your lines calls one?"
    )


@pytest.mark.points(0.25)
def test_training_changes_nothing(candidate, tensors_agree):
    batch, seq, d_model = draw_sizes()
    layer, x = build(candidate, d_model), tokens(batch, seq, d_model)
    evaluated = normalised(layer.eval(), x)
    trained = layer.train()(x)
    assert tensors_agree(trained, evaluated) and tensors_agree(layer.eval()(x), evaluated), (
        "In training and after `eval()`, the same token gets different answers. Which numbers does "
        "your layer keep from one call to the next, or draw at random?"
    )
