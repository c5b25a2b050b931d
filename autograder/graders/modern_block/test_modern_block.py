"""Exercise 6: the block. Stand-ins take the place of its parts, so that a broken RMSNorm or SwiGLU costs
nothing here; a block that has its parts inside is asked the same.

All checks but the first compare the student's block with itself, so that each mistake costs its own check.
"""

import pytest
import torch

from .weights import ATTENTION, FEED_FORWARD, padding
from .wiring import GATED, HEADS, NORM, SILENT

SIZES_OF_PARTS = (
    "Which arguments do the parts of your block get: d_model, num_heads and d_ff, each where it "
    "belongs?"
)


@pytest.mark.points(2.5)
def test_each_sub_layer_reads_the_normed_stream_and_is_added_to_it(
    asked, tensors_agree, noted, answer_or_none
):
    """Follow x through the two equations: what is normed, what does each sub-layer get to see, and
    what is its answer added to?"""
    x, sizes = asked.x, asked.sizes
    assert tensors_agree(asked.build(*SILENT)(x), x), (
        "Suppose that both sub-layers return zeros. Then nothing is added to x, and your block should "
        "return x itself. What does it do to x on the way?"
    )
    assert tensors_agree(asked.build(FEED_FORWARD)(x), asked.loaded(FEED_FORWARD)(x)), (
        "Suppose that the feed forward layer returns zeros. What does the attention get as query, key "
        "and value, and what is its answer added to?"
    )
    assert tensors_agree(asked.build(ATTENTION)(x), asked.loaded(ATTENTION)(x)), (
        "Suppose that the attention returns zeros. What does the feed forward layer get to see, and "
        "what is its answer added to?"
    )
    block = asked.build()
    assert tensors_agree(block(x), asked.reference(x))
    wanted = {NORM: [sizes.d_model], HEADS: [sizes.d_model, sizes.num_heads]}
    wanted[GATED] = [sizes.d_model, sizes.d_ff]
    built = [[*part.built.values()][: len(wanted[part.name])] for part in asked.parts]
    wanted_too = [wanted[part.name] for part in asked.parts]
    assert noted([*map(list.__eq__, built, wanted_too)]) == [True] * len(built), SIZES_OF_PARTS
    if (
        answer_or_none(lambda: block.unchanged(x)) is None
    ):  # then autograd stops; another check asks
        return
    inside, upstream = x.clone().requires_grad_(), torch.randn_like(x)
    (asked.reference(inside) * upstream).sum().backward()
    gradients = block.gradients(x, upstream=upstream)
    arrived = all(one is not None for one in gradients.parameters.values())
    assert arrived and tensors_agree(gradients.arguments[0], inside.grad), (
        "Does gradient come back to x, through both sub-layers and around them? `detach`, `.data` and "
        "`no_grad` cut the graph, and so does what `forward` builds."
    )


@pytest.mark.points(1)
def test_norms_are_two_of_their_own(asked, tensors_differ, noted):
    """Two norms learn two different gains. Does each sub-layer of yours have one norm of its own, and
    are both used?"""
    block = asked.build()
    before = block(asked.x)
    numbers, own = asked.numbers(NORM), [*asked.own_gains(block)]
    assert noted(len(numbers) + len(own)) == 2
    for place in range(len(numbers)):
        assert tensors_differ(asked.build(changed=place)(asked.x), before)
    for name, gain in own:
        block.load_parameters({name: gain})
        assert tensors_differ(block(asked.x), before)
        block.load_parameters({name: asked.weights.of(name, gain.shape)})


@pytest.mark.points(0.5)
def test_padding_mask_reaches_the_attention(asked, padding_is_absent):
    """A padded token should be as good as absent for the others. Does the attention get the
    `attention_mask`, as the argument that it expects?"""
    padding_is_absent(asked.build(), asked.x, padding(*asked.x.shape[:2]))


@pytest.mark.points(0.25)
def test_mask_may_be_left_out(asked, tensors_agree):
    block = asked.build().supply(None)
    assert tensors_agree(block(asked.x, None), block(asked.x)), (
        "Without a mask and with `None` your answers differ. What stands for no mask?"
    )
    asked.answered(block)


@pytest.mark.points(0.25)
def test_whatever_it_learns_is_among_its_parameters(asked, tensors_agree, noted):
    """Which parts does `print(block)` show? What is in a plain list or dict, or made in `forward`, is
    found neither by `parameters()` nor by an optimiser."""
    asked.answered(asked.build())
    one, other, hidden = asked.build_twins()
    assert noted(hidden) == 0 and noted(asked.learns_as_much(one))
    assert tensors_agree(one(asked.x), other(asked.x)), (
        "Two of your blocks with the same numbers in `parameters()` answer differently. Which numbers "
        "take part that `parameters()` does not have?"
    )


@pytest.mark.points(0.25)
def test_answer_comes_alone_and_x_stays_as_it_is(asked, tensors_agree):
    """Your block changed what it was handed: it answers differently when it is asked again. Why?"""
    block = asked.build()
    assert tensors_agree(block.strictly(asked.x), asked.answered(block))


@pytest.mark.points(0.25)
def test_training_is_as_evaluation(asked, tensors_agree):
    """This block has no dropout. What does yours do in training that it does not do after `eval()`?"""
    block = asked.build()
    evaluated = asked.answered(block)
    chance = not torch.equal(block(asked.x), evaluated)  # another check asks for what is made anew
    assert chance or tensors_agree(block.train()(asked.x), evaluated)
