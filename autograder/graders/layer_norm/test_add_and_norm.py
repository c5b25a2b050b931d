"""Exercise 3: add and norm. A stand-in takes the place of the student's `LayerNorm`, so that a broken one
costs nothing here; torch's own, or a norm inside, earns as much.
"""

import math
from statistics import median

import pytest
import torch

from .norms import draw_sizes, normalised, tokens
from .reference import normalise

ALWAYS, OFTEN = 1.0, 0.9  # rates; the first one, which leaves nothing to chance, is refused by some
PILLAR, LEVEL = 10.0, 1e-3  # of x, of the sub-layer's output: a norm hardly sees the second
WIDE = (4, 150, 96)  # batch, seq, d_model where chance has a part


@pytest.mark.points(1.25)
def test_sum_of_both_is_normalised(candidate, tensors_agree):
    x, added = two_inputs()
    assert tensors_agree(build(candidate, x).eval()(x, added), normalise(x + added)), (
        "Follow both inputs through the equation: what is added to what, and what is normalised, "
        "before the sum or after it?"
    )


@pytest.mark.points(0.5)
def test_gradient_reaches_both_inputs(candidate, noted):
    x, added = two_inputs()
    arrived = build(candidate, x).eval().gradients(x, added).arguments
    assert noted([g is not None and bool(g.any()) for g in arrived]) == [True, True], (
        "Does gradient come back to x and to the sub-layer's output? The way around the sub-layer "
        "is there for it. `detach`, `.data` and `no_grad` cut the graph."
    )


@pytest.mark.points(0.5)
def test_norm_learns_with_the_block(candidate, noted):
    x, added = two_inputs()
    parts = []
    layer = build(candidate, x, parts=parts).eval()
    normalised(layer, x, added)
    registered = {module.facts.get("number") for module in layer.modules() if module.stand_in}
    learned = {p.identity: p.shape for p in layer.parameters() if p.requires_grad}
    vectors = [shape for shape in learned.values() if x.size(-1) in shape]
    inside = not parts and len(vectors) == 2
    assert noted(inside or (bool(parts) and {part.number for part in parts} <= registered)), (
        "Which norm does `print(layer)` show? What is made in `forward`, or kept in a plain list, "
        "is not found by an optimiser; gamma and beta are to be learned."
    )


@pytest.mark.points(0.5)
def test_dropout_acts_on_the_sub_layers_output_before_the_sum(
    candidate, tensors_agree, tensors_differ, answer_or_none
):
    x, nothing = tokens(3, 100, 6), torch.zeros(3, 100, 6)
    added = nothing.clone()
    added[..., 2] = 1 + torch.rand(3, 100)  # so that some tokens lose all of it, at any rate
    undropped, nothing_to_add = build(candidate, x).eval().each((x, added), (x, nothing))
    trained = answer_or_none(lambda: build(candidate, x, ALWAYS).train()(x, added))
    if trained is None or torch.allclose(trained, undropped):
        trained = build(candidate, x, OFTEN).train()(x, added)
    assert tensors_differ(trained, undropped), (
        "In training, with dropout and without it, your answer is the same. Where does it act?"
    )
    nearest = (trained - nothing_to_add).abs().amax(-1).flatten().argmin()
    one, wanted = (answer.flatten(0, 1)[nearest] for answer in (trained, nothing_to_add))
    assert tensors_agree(one, wanted), (
        "If dropout takes all that the sub-layer returns for a token, LayerNorm(x) is left. What is "
        "left in yours? Which of x, the sub-layer's output, the sum and the norm is dropped?"
    )


@pytest.mark.points(0.5)
def test_dropout_rate_is_the_argument(candidate, number_is_close):
    x, nothing = torch.zeros(WIDE), torch.zeros(WIDE)
    x[..., 0], x[..., 1] = PILLAR, -PILLAR
    added = nothing.clone()
    added[..., 2::2] = LEVEL
    undropped, without = build(candidate, x).eval().each((x, added), (x, nothing))
    gain = contrast(undropped - without).flatten(0, 1).median(0).values
    for rate in (0.9, 0.1):
        layer = build(candidate, x, rate).train()
        one, other = (contrast(y - without) / gain for y in layer.each((x, added), (x, added)))
        kept, again = one > 0.5, other > 0.5
        assert kept.any() and not kept.all(), AT_ITS_RATE
        for by_another in (again, kept[:1], kept[:, :1], kept[..., :1]):
            assert bool((kept != by_another).any()), (
                "What dropout takes is chosen anew for each feature of each token, at each call. "
                "What goes together in yours?"
            )
        share, scale = 1 - kept.double().mean().item(), median(one[kept].tolist())
        close = [
            number_is_close(share, rate, within=0.075),
            number_is_close(math.log(scale * (1 - rate)), 0, within=0.165),
        ]
        assert all(close), AT_ITS_RATE


@pytest.mark.points(0.25)
def test_dropout_rests_in_evaluation(candidate, tensors_agree, tensors_differ):
    x, added = tokens(3, 100, 6), tokens(3, 100, 6)  # so that some of it is dropped, at any rate
    layer = build(candidate, x, 0.5)
    trained, evaluated = layer.train()(x, added), layer.eval()(x, added)
    assert tensors_differ(trained, evaluated), (
        "In training, with dropout and without it, your answer is the same. Where does it act?"
    )
    assert tensors_agree(evaluated, build(candidate, x, 0.0).eval()(x, added)), (
        "After `layer.eval()` the rate of dropout should not matter. Which part of yours does not "
        "know of it?"
    )


@pytest.mark.points(0.25)
def test_dropout_is_0_unless_a_rate_is_given(candidate, tensors_agree):
    x, added = two_inputs()
    layer = build(candidate, x)
    evaluated = normalised(layer.eval(), x, added)
    assert tensors_agree(layer.train()(x, added), evaluated), (
        "A block that is told no rate answers differently in training. What does it drop?"
    )


@pytest.mark.points(0.25)
def test_answer_comes_alone_and_inputs_stay_as_they_were(candidate):
    x, added = two_inputs()
    normalised(build(candidate, x).eval(), x, added)
    for layer in (build(candidate, x).eval(), build(candidate, x, 0.5).train()):
        layer.strictly(x, added)


AT_ITS_RATE = (
    "In training, which share of the sub-layer's output is dropped, and by what is the rest scaled? "
    "The rate is the argument `dropout`, and it acts once, at random."
)


def two_inputs():
    batch, seq, d_model = draw_sizes()
    return tokens(batch, seq, d_model), 2 * tokens(batch, seq, d_model)


def build(candidate, x, *dropout, parts=None):
    """A block for x; `parts` collects the stand-ins for `LayerNorm` that it asks."""

    def norm(part, x):
        if parts is not None:
            parts.append(part)
        return normalise(x)

    with candidate.stand_in(LayerNorm=norm):
        layer = candidate.build("AddAndNorm", x.size(-1), *dropout)
    return layer.expect(lambda x, *_: x.shape)


def contrast(moved):
    """How far the features that a sub-layer returns have moved, beyond those beside them."""
    return moved[..., 2::2] - moved[..., 3::2].mean(-1, keepdim=True)
