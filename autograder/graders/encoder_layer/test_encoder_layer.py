"""Exercise 5: the encoder layer. Stand-ins take the place of both sub-layers, so that broken ones cost nothing here.

All checks but the first compare the student's layer with itself, so that each mistake costs its
own check: a pre-norm layer still earns what it does right about masks and dropout.
"""

import pytest
import torch

from .dropout import OFTEN, drops_inside, hear_one_feature, measure_dropout, which_together
from .reference import draw_sizes, padding
from .wiring import AskedEncoderLayer


@pytest.fixture
def asked(candidate, answer_or_none):
    return AskedEncoderLayer(candidate, answer_or_none)


@pytest.mark.points(1.5)
def test_each_sub_layer_is_added_and_then_normalised(asked, tensors_agree):
    """Follow x through LayerNorm(x + Sublayer(x)), twice: what is added to what, what is
    normalised, and what does the second sub-layer get to see?"""
    sizes, x, layer = asked.sizes, asked.x, asked.build()
    upstream = torch.randn_like(x)
    answer, gradients = layer.strictly(x), layer.gradients(x, upstream=upstream)
    assert tensors_agree(answer, asked.reference(x))
    wanted = [(sizes.d_model, sizes.heads), (sizes.d_model, sizes.d_ff)]
    assert all(tuple(part.built.values())[:2] in wanted for part in asked.parts()), (
        "Which sizes do the two sub-layers of your layer get?"
    )
    inside = x.clone().requires_grad_()
    (asked.reference(inside) * upstream).sum().backward()
    assert gradients.arrive() and tensors_agree(gradients.arguments[0], inside.grad), (
        "Does gradient arrive at both norms, and through both sub-layers and both sums at the "
        "input? `detach`, `.data` and `no_grad` cut the graph, and so does what `forward` builds."
    )


@pytest.mark.points(0.25)
def test_mask_may_be_left_out(asked, token_laws):
    layer = asked.build()
    token_laws.mask_may_be_left_out(layer, asked.x)
    asked.answered(layer)


@pytest.mark.points(0.25)
def test_whatever_it_learns_is_among_its_parameters(asked, tensors_agree, noted):
    """Which sub-layers does `print(layer)` show? In a plain list or dict neither `parameters()`
    nor `train()` finds them."""
    layer, one, other, hidden = asked.build_twins()
    layer.library_calls(asked.x)  # for a note to staff: see LIBRARY_PARTS
    assert noted(hidden) == 0
    assert tensors_agree(one, other), (
        "Two of your layers with the same numbers in `parameters()` answer differently. Which "
        "numbers take part that `parameters()` does not have?"
    )
    asked.answered(layer)


@pytest.mark.points(1)
def test_padding_mask_reaches_the_attention(asked, token_laws):
    """A padded token should be as good as absent for the others. Does the self-attention get the
    `attention_mask`, as the argument that it expects?"""
    token_laws.padding_is_absent(asked.build(), asked.x, padding(*asked.x.shape[:2]))


@pytest.mark.points(1)
def test_layer_norms_are_two_of_their_own(asked, tensors_agree, tensors_differ):
    """Two LayerNorms learn two different scales. Does each sub-layer of yours have its own, over
    the features of a token, and are both used?"""
    layer, state = asked.build(), asked.reference.state_dict()
    scales = ("layer_norm_1.weight", "layer_norm_2.weight")
    others = [layer.by_role(state | {one: -0.5 * state[one]}, strict=True) for one in scales]
    (before, again), changed = layer.each((asked.x,), (asked.x,)), []
    for weights in others:
        layer.load_parameters(weights)
        changed.append(layer(asked.x))
    assert tensors_agree(again, before), "Asked twice, your layer answers differently. Why?"
    for answer in changed:
        assert tensors_differ(answer, before)


@pytest.mark.points(1)
def test_dropout_acts_on_sub_layer_outputs_before_the_residual(
    asked, tensors_agree, tensors_differ
):
    """If dropout takes all that a sub-layer returns for a token, only what was there before and
    the norms are left. What is left in your layer? Dropout acts on each sub-layer's output, before
    it is added."""
    heard = {number: hear_one_feature(asked, number) for number in (1, 2)}
    heard = {number: one for number, one in heard.items() if one.matters}
    assert heard, "Whatever your sub-layers return, your answer is the same. Where are they used?"
    for number, one in heard.items():
        outside = not torch.allclose(one.trained, one.evaluated)
        inside = not outside and drops_inside(asked, OFTEN, [number])
        assert inside or tensors_differ(one.trained, one.evaluated), (
            "With dropout and without it, your answer is the same. Where does dropout act?"
        )
        assert inside or tensors_agree(*one.least_heard())


@pytest.mark.points(0.5)
def test_dropout_rate_is_the_argument(
    candidate, answer_or_none, number_is_close, noted, unrecorded
):
    """Of each sub-layer's output, which share is dropped in training, and by what is the rest
    scaled? The rate is the argument `dropout`, and it acts once on each, at random: in your layer,
    or in the part that you hand it to."""
    sizes = draw_sizes()._replace(heads=6, d_k=16)  # many features, so that chance is mild
    asked = AskedEncoderLayer(candidate, answer_or_none, sizes)
    measured = [*measure_dropout(asked, unrecorded, 0.1, 0.9)]
    noted([one.beyond for one in measured])
    assert not any(map(any, noted(which_together(measured)))), (
        "What dropout takes is chosen anew for each feature of each token, at each call. "
        "What goes together in yours?"
    )
    close = [number_is_close(one.share, 1 - one.rate, within=0.075) for one in measured]
    close += [number_is_close(one.log_of_scale, 0, within=0.165) for one in measured]
    assert measured and all(close)


@pytest.mark.points(0.5)
def test_dropout_rests_in_evaluation_and_at_rate_zero(
    asked, tensors_agree, tensors_differ, answer_or_none
):
    """After `layer.eval()` the rate of dropout should not matter. Which parts of your layer get
    it, and as which of their arguments?"""
    computes, call = asked.computing(asked.reference), (asked.x, padding(*asked.x.shape[:2]))
    layer, dropping = asked.build_all(*[(asked.reference, rate, *computes) for rate in (0.0, 0.5)])
    once, masked = asked.answered(layer), answer_or_none(lambda: layer(*call))
    assert tensors_agree(layer.train()(asked.x), once), (
        "With a dropout of 0.0, what is still random in training? Where does its rate come from?"
    )
    assert masked is None or tensors_agree(layer.train()(*call), masked), (
        "With a dropout of 0.0 and a mask, your answer in training is another. Why?"
    )
    inside = drops_inside(asked, 0.5)
    trained, evaluated = dropping.train()(asked.x), dropping.eval()(asked.x)
    assert inside or tensors_differ(trained, once), "In training, is anything dropped?"
    assert tensors_agree(evaluated, once)
