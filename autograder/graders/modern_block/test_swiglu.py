"""Exercise 4: SwiGLU. Nobody loses a point for names, or for the layout of the weights: see `gates.py`."""

import pytest
import torch
from torch.nn import functional as F

from . import gates
from .gates import BATCH, D_FF, D_MODEL, SEQ, tokens_with_gates, with_one_number


@pytest.fixture
def layer(candidate):
    return gates.build(candidate)


@pytest.fixture
def x():
    return torch.randn(BATCH, SEQ, D_MODEL)


@pytest.fixture
def answer(layer, x):
    """What a layer with one number in all matrices answers. Of one that answers the same with another
    number, or does not see that, nobody can ask how it gates.
    """
    once, twice = with_one_number(layer, 1.0)(x), with_one_number(layer, 2.0)(x)
    assert not torch.allclose(once, twice), (
        "With other weights yours answers the same. Where are they?"
    )
    assert not torch.allclose(twice, 4 * once), (
        "What is not linear in your layer? Where is its gate?"
    )
    again = with_one_number(layer, 1.0)(x)
    assert torch.allclose(again, once), (
        "Asked once more, your layer answers otherwise. What is random?"
    )
    return again


@pytest.mark.points(1.25)
def test_each_hidden_unit_is_gated_by_silu(layer, tensors_agree):
    """Follow one hidden unit through the equation, with a gate above zero and one below it: what acts
    on the gate, what is multiplied by it, and does anything act on the product?"""
    z = torch.linspace(-4, 4, BATCH * SEQ).view(BATCH, SEQ)
    for gate, number in ((z, 1.0), (z - 20, 1e6)):  # what is left there needs a large way down
        answer = with_one_number(layer, number)(tokens_with_gates(gate, number))
        right = number * gates.hidden_units(layer) * F.silu(gate) * gate
        assert tensors_agree(answer, right.unsqueeze(-1).expand_as(answer))


@pytest.mark.points(1)
def test_three_matrices_have_a_role_each(layer, x, tensors_agree):
    """Gates that are wide open let all through: which two matrices meet x then, how are their answers
    joined, and which one leads back to d_model?"""
    answer, expected = gates.product_of_open_gates(layer, 1 + x.abs())
    assert tensors_agree(answer, expected)


@pytest.mark.points(0.5)
def test_there_are_three_matrices_and_no_bias(layer, answer, noted):
    """What does `[p.shape for p in layer.parameters()]` list? Three matrices lead from d_model to d_ff,
    or back, and nothing is added to their answers."""
    shapes = {one.identity: one.shape for one in layer.parameters() if one.requires_grad}
    count = noted(sum(torch.Size(shape).numel() for shape in shapes.values()))
    assert count == 3 * D_MODEL * D_FF


@pytest.mark.points(0.25)
def test_any_number_of_axes_may_lead(layer, x, answer, tensors_agree):
    """A token alone, or behind another number of axes, is answered otherwise."""
    four = layer(x[:, :, None])
    alone = torch.stack(layer.each(*((token,) for token in x.flatten(0, 1))))
    assert tensors_agree(four.view_as(x), answer) and tensors_agree(alone.view_as(x), answer)


@pytest.mark.points(0.25)
def test_far_gates_are_numbers(layer, answer, tensors_agree, tensor_is_zero):
    """What does your gate say of a number far below zero, or far above it? Where does `exp` overflow?"""
    x = tokens_with_gates([[-1000.0, 1000.0]])
    closed, open_ = with_one_number(layer, 1.0)(x)[0]
    assert tensor_is_zero(closed)
    assert tensors_agree(open_, torch.full_like(open_, 1e6 * gates.hidden_units(layer)))


@pytest.mark.points(0.5)
def test_gradient_arrives_everywhere(layer, answer, noted, number_is_close):
    """Does gradient arrive at each of the three matrices, and at x, and is it a number also where the
    gate is far below zero? What is not used, or cut out of the graph, learns nothing."""
    arrived = with_one_number(layer, 1.0).gradients(tokens_with_gates([[-20.0, -3.0, 2.0]]))
    assert noted(arrived.arrive())
    assert noted(all(bool(one.isfinite().all()) for one in arrived.parameters.values()))
    near = tokens_with_gates([[2.0]])
    (gradient,) = layer.gradients(near, upstream=torch.ones_like(near)).arguments
    less, more = layer.each((0.99 * near,), (1.01 * near,))
    assert number_is_close(0.02 * (gradient * near).sum() / (more - less).sum(), 1, within=0.03)


@pytest.mark.points(0.25)
def test_answer_comes_alone_and_input_stays_as_it_was(layer, x, answer, tensors_agree):
    """In training, the layer answers otherwise. What is drawn at random?"""
    assert tensors_agree(layer.train().strictly(x), answer)
