"""Exercise 3: add and norm. A stand-in takes the place of the student's `LayerNorm`, so that a broken one
costs nothing here; torch's own, or a norm inside, earns as much.
"""

import math
from statistics import median

import pytest
import torch

from .blocks import build, gains, normed, parts, trained_without_chance
from .norms import arrives, learned_shapes, normalised, tokens

NO_DROPOUT = "In training, with dropout and without it, your answer is the same. Where does it act?"


@pytest.mark.points(1.25)
def test_sum_of_both_is_normalised(candidate, x, added, tensors_agree):
    """Follow both inputs through the equation: what is added to what, and what is normalised,
    before the sum or after it?"""
    assert tensors_agree(build(candidate, x).eval()(x, added), normed(candidate, x + added))


@pytest.mark.points(0.5)
def test_gradient_reaches_both_inputs(candidate, x, added, noted):
    """Does gradient come back to x and to the sub-layer's output? The way around the sub-layer is
    there for it. `detach`, `.data` and `no_grad` cut the graph."""
    layer = build(candidate, x).eval()
    normalised(layer, x, added)
    assert noted(list(map(arrives, layer.gradients(x, added).arguments))) == [True, True]


@pytest.mark.points(0.5)
def test_norm_learns_with_the_block(candidate, x, added, noted):
    """Which norm does `print(layer)` show? What is made in `forward`, or kept in a plain list, is
    not found by an optimiser; gamma and beta are to be learned."""
    layer = build(candidate, x).eval()
    normalised(layer, x, added)
    called = parts(candidate)
    sizes = noted([part.built.get("d_model", x.size(-1)) for part in called])
    assert sizes == [x.size(-1)] * len(sizes), "Which size does the norm of your block get?"
    registered = {module.facts.get("number") for module in layer.modules() if module.stand_in}
    vectors = [shape for shape in learned_shapes(layer, x.size(-1)) if x.size(-1) in shape]
    inside = not called and len(vectors) == 2
    assert noted(inside or (bool(called) and {part.number for part in called} <= registered))


@pytest.mark.points(0.5)
def test_dropout_acts_on_the_sub_layers_output_before_the_sum(
    candidate, tensors_agree, tensors_differ, answer_or_none
):
    """If dropout takes all that the sub-layer returns for a token, LayerNorm(x) is left. What is
    left in yours? Which of x, the sub-layer's output, the sum and the norm is dropped?"""
    x, nothing = tokens(3, 100, 6), torch.zeros(3, 100, 6)
    added = nothing.clone()
    added[..., 2] = 1 + torch.rand(3, 100)  # so that some tokens lose all of it, at any rate
    undropped, nothing_to_add = build(candidate, x).eval().each((x, added), (x, nothing))
    trained = trained_without_chance(candidate, x, added, undropped, answer_or_none)
    assert tensors_differ(trained, undropped), NO_DROPOUT
    nearest = (trained - nothing_to_add).abs().amax(-1).flatten().argmin()
    one, wanted = (answer.flatten(0, 1)[nearest] for answer in (trained, nothing_to_add))
    assert tensors_agree(one, wanted)


@pytest.mark.points(0.5)
def test_dropout_rate_is_the_argument(candidate, number_is_close, noted, unrecorded):
    """In training, which share of the sub-layer's output is dropped, and by what is the rest
    scaled? The rate is the argument `dropout`, and it acts once, at random."""
    for rate, one, other in gains(candidate, unrecorded, 0.9, 0.1):
        kept, again = one > 0.5, other > 0.5
        assert kept.any() and not kept.all()
        others = (
            again,
            kept[:1],
            kept[:, :1],
            kept[..., :1],
        )  # another call, sentence, token, feature
        together = noted([torch.equal(kept, other.expand_as(kept)) for other in others])
        assert not any(together), (
            "What dropout takes is chosen anew for each feature of each token, at each call. "
            "What goes together in yours?"
        )
        share, scale = 1 - kept.double().mean().item(), median(one[kept].tolist())
        rate_is_close = number_is_close(share, rate, within=0.075)
        assert number_is_close(math.log(scale * (1 - rate)), 0, within=0.165) and rate_is_close


@pytest.mark.points(0.25)
def test_dropout_rests_in_evaluation(candidate, tensors_agree, tensors_differ):
    """After `layer.eval()` the rate of dropout should not matter. Which part of yours does not know
    of it?"""
    x, added = tokens(3, 100, 6), tokens(3, 100, 6)  # so that some of it is dropped, at any rate
    layer = build(candidate, x, 0.5)
    trained, evaluated = layer.train()(x, added), layer.eval()(x, added)
    assert tensors_differ(trained, evaluated), NO_DROPOUT
    assert tensors_agree(evaluated, normalised(build(candidate, x, 0.0).eval(), x, added))


@pytest.mark.points(0.25)
def test_dropout_is_0_unless_a_rate_is_given(candidate, x, added, tensors_agree):
    """A block that is told no rate answers differently in training. What does it drop?"""
    layer = build(candidate, x)
    evaluated = normalised(layer.eval(), x, added)
    assert tensors_agree(layer.train()(x, added), evaluated)


@pytest.mark.points(0.25)
def test_answer_comes_alone_and_inputs_stay_as_they_were(candidate, x, added):
    normalised(build(candidate, x).eval(), x, added)
    for layer in (build(candidate, x).eval(), build(candidate, x, 0.5).train()):
        layer.strictly(x, added)
