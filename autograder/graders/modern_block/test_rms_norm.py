"""Exercise 2: RMSNorm. Where it can be, the layer is compared with itself: each mistake costs one check."""

import pytest
import torch

from . import norms
from .norms import build, divided, normalised


@pytest.fixture
def x():
    """(batch, seq, d_model), each another number."""
    return norms.tokens(*norms.draw_sizes())


@pytest.fixture
def layer(candidate, x):
    return build(candidate, x.size(-1))


@pytest.fixture
def answer(layer, x):
    return normalised(layer, x)


@pytest.mark.points(1)
def test_each_token_is_divided_by_its_root_mean_square(layer, x, tensors_agree):
    """Follow one token through the equation: what is averaged, and what is divided by what root?"""
    assert tensors_agree(layer(x), divided(x))


@pytest.mark.points(0.25)
def test_each_token_is_normalised_by_itself(layer, x, answer, tensors_agree):
    """A token alone is answered otherwise than among others. Over which axis is your mean?"""
    alone = layer.each(*((token.view(1, 1, -1),) for token in x.flatten(0, 1)))
    assert tensors_agree(torch.cat(alone).view_as(x), answer)


@pytest.mark.points(0.5)
def test_any_number_of_axes_may_lead(layer, x, tensors_agree):
    """Behind another number of axes, or none, a token gets another answer. Which axis is the last?"""
    for other, three in norms.with_other_axes(x):
        assert tensors_agree(layer(other).reshape(three.shape), normalised(layer, three))


@pytest.mark.points(0.25)
def test_gamma_begins_at_1(candidate, x, tensors_agree):
    """Before it has learned anything, a layer only normalises. Where does gamma begin?"""
    fresh = candidate.build("RMSNorm", x.size(-1)).expect(lambda x: x.shape)
    assert tensors_agree(fresh(x), normalised(build(candidate, x.size(-1)), x))


@pytest.mark.points(0.25)
def test_gamma_is_learned_and_nothing_else(layer, x, answer, noted, number_is_close):
    """Does `layer.named_parameters()` have a `gamma` alone, one gain a feature, which gets a gradient?"""
    learned = [(one.name, one.shape, one.requires_grad) for one in layer.parameters()]
    assert noted(learned) == [("gamma", (x.size(-1),), True)]
    assert noted(norms.arrives(layer.gradients(x).parameters["gamma"]))
    assert number_is_close(layer.slope_of_parameters(x), 1, within=0.03), (
        "Your gradient of gamma says something else than a small step of it does. By what does your own "
        "backward multiply, and over which tokens does it add up?"
    )


@pytest.mark.points(0.5)
def test_gamma_scales_what_is_normalised(layer, x, tensors_agree):
    """With another gamma: is what is normalised multiplied by it, once, and after the division?"""
    plain, gamma = normalised(layer, x), torch.randn(x.size(-1))
    gamma[0] = 0
    layer.load_state_dict({"gamma": gamma}, strict=False)
    assert tensors_agree(layer(x), gamma * plain)


@pytest.mark.points(0.5)
def test_eps_is_the_argument_and_stands_under_the_root(candidate, x, tensors_agree):
    """Is a large eps the one that your constructor gets, and added before the root or after it?"""
    eps, x = 1.5 + torch.rand(()).item(), 0.3 * (x - x.mean(-1, keepdim=True))
    far, near = build(candidate, x.size(-1), eps).each((1e4 * x,), (x,))  # far from eps
    squares = (x.square().mean(-1) / far.square().mean(-1)).unsqueeze(-1)
    assert tensors_agree(near, far * torch.sqrt(squares / (squares + eps)))


@pytest.mark.points(0.25)
def test_eps_is_1e_5_unless_another_is_given(candidate, layer, x, tensors_agree):
    """Which eps does a layer get that is told none?"""
    given = normalised(build(candidate, x.size(-1), 1e-5), 1e-3 * x)  # mean squares of about 1e-5
    assert tensors_agree(layer(1e-3 * x), given)


@pytest.mark.points(0.5)
def test_half_precision_is_squared_in_float32(layer, x, answer, number_is_close):
    """With large numbers in half precision the answer is another. What is 300 squared in float16?"""
    large = (400 * x).half()
    half, full = layer.each((large,), (large.float(),))
    assert number_is_close((half.double() - full.double()).abs().max(), 0, within=0.1)


@pytest.mark.points(0.25)
def test_answer_has_the_dtype_of_x(layer, x, answer, noted):
    """Which dtype has your answer where x has half precision, and where is it cast at the end?"""
    kinds = torch.float16, torch.bfloat16, torch.float32, torch.float64
    answers = layer.each(*((x.to(kind),) for kind in kinds))
    assert noted([str(one.dtype) for one in answers]) == [str(kind) for kind in kinds]
    layer.load_state_dict({"gamma": 0.5 + torch.rand(x.size(-1))}, strict=False)
    before, _, after = layer.each((x,), (x.half(),), (x,))
    assert noted(torch.equal(before, after)), (
        "After a call in half precision your layer answers otherwise than before. Does gamma keep its "
        "digits, and its dtype?"
    )


@pytest.mark.points(0.25)
def test_gradient_comes_back_through_the_root(candidate, x, tensor_is_zero, noted):
    """The gradient says that a stretched token is answered otherwise. Where is the root detached?"""
    layer = build(candidate, x.size(-1), 1e-9)
    (gradient,) = layer.gradients(x).arguments
    assert noted(norms.arrives(gradient)), "Does gradient arrive at the input?"
    assert tensor_is_zero((gradient * divided(x)).sum(-1))
    layer.load_state_dict({"gamma": 0.5 + torch.rand(x.size(-1))}, strict=False)
    (gradient,) = layer.gradients(x).arguments
    assert tensor_is_zero((gradient * divided(x)).sum(-1)), (
        "With a gain unlike one, the gradient says that a stretched token is answered otherwise. Where "
        "does gamma act on the way back?"
    )


@pytest.mark.points(0.25)
def test_answer_comes_alone_and_input_stays_as_it_was(layer, x, answer, tensors_agree):
    """In training, the layer answers otherwise. What is drawn at random, or kept?"""
    for one in (x, x.float()):
        assert tensors_agree(layer.train().strictly(one), answer.to(one))


@pytest.mark.points(0.25)
def test_norm_is_your_own(layer, x, answer, noted):
    """The statement asks for a layer without torch's own RMSNorm: which of your lines calls it?"""
    assert noted(not norms.READY_MADE & layer.library_calls(x))
