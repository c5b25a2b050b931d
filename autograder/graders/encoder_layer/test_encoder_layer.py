"""Exercise 5: the encoder layer. Stand-ins take the place of both sub-layers, so that broken ones cost nothing here.

All checks but the first compare the student's layer with itself, so that each mistake costs its
own check: a pre-norm layer still earns what it does right about masks and dropout.
"""

import math
from functools import partial

import pytest
import torch

from .reference import draw_sizes, padding
from .relations import answered, everything
from .wiring import (
    alike,
    build,
    dropped_at,
    inputs,
    kept_by_own_part,
    measure_dropout,
    only_one_feature,
    parts_with_a_rate,
    silence,
    sizes_for_dropout,
    with_mask_if_demanded,
)

ALWAYS, OFTEN = 1.0, 0.9  # rates; the first one, which leaves nothing to chance, is refused by some
TOKENS = 100  # so that some of them lose all that a sub-layer returns, at any rate
AT_ITS_RATE = (
    "Of each sub-layer's output, which share is dropped in training, and by what is the rest "
    "scaled? The rate is the argument `dropout`, and it acts once on each, at random: in your "
    "layer, or in the part that you hand it to."
)


@pytest.mark.points(1.5)
def test_each_sub_layer_is_added_and_then_normalised(candidate, tensors_agree, answer_or_none):
    sizes, parts = draw_sizes(), []
    reference = alike(sizes)
    layer, x = build(candidate, sizes, reference, parts=parts).eval(), inputs(sizes)
    arguments = with_mask_if_demanded(layer, x, answer_or_none)
    assert tensors_agree(layer.strictly(*arguments), reference(x)), (
        "Follow x through LayerNorm(x + Sublayer(x)), twice: what is added to what, what is "
        "normalised, and what does the second sub-layer get to see?"
    )
    wanted = [(sizes.d_model, sizes.heads), (sizes.d_model, sizes.d_ff)]
    assert all(tuple(part.built.values())[:2] in wanted for part in parts), (
        "Which sizes do the two sub-layers of your layer get?"
    )
    inside, upstream = x.clone().requires_grad_(), torch.randn_like(x)
    (reference(inside) * upstream).sum().backward()
    gradients = layer.gradients(*arguments, upstream=upstream)
    assert gradients.arrive() and tensors_agree(gradients.arguments[0], inside.grad), (
        "Does gradient arrive at both norms, and through both sub-layers and both sums at the "
        "input? `detach`, `.data` and `no_grad` cut the graph, and so does what `forward` builds."
    )


@pytest.mark.points(0.25)
def test_mask_may_be_left_out(candidate, tensors_agree):
    sizes = draw_sizes()
    layer, x = build(candidate, sizes, alike(sizes)).eval(), inputs(sizes)
    without, none = answered(layer.each, x), layer(x, None)
    assert tensors_agree(none, without) or not torch.allclose(layer(x), without), (
        "Without a mask and with `None` your answers differ. What stands for no mask?"
    )


@pytest.mark.points(0.25)
def test_whatever_it_learns_is_among_its_parameters(candidate, tensors_agree, noted):
    sizes, parts = draw_sizes(), []
    reference = alike(sizes)
    layers = [build(candidate, sizes, reference, parts=parts).eval() for _ in range(2)]
    x, registered, answers = inputs(sizes), set(), []
    names = [(p.name, p.shape) for p in layers[0].parameters() if p.requires_grad]
    state = {name: torch.randn(shape) for name, shape in names}
    for layer in layers:
        registered |= {m.facts.get("number") for m in layer.modules() if m.stand_in}
        layer.load_state_dict(state)
        calls = [(x, everything(x))] * 3  # so that what is made anew in each call counts for more
        answers.append(layer.each_leniently(*calls)[0])
    assert noted(len({part.number for part in parts} - registered)) == 0, (
        "Which sub-layers does `print(layer)` show? In a plain list or dict neither `parameters()` "
        "nor `train()` finds them."
    )
    assert tensors_agree(*answers), (
        "Two of your layers with the same numbers in `parameters()` answer differently. Which "
        "numbers take part that `parameters()` does not have?"
    )
    answered(layers[0].each_leniently, x, everything(x))


@pytest.mark.points(1)
def test_padding_mask_reaches_the_attention(
    candidate, tensors_agree, tensors_differ, answer_or_none
):
    sizes = draw_sizes()
    layer, x = build(candidate, sizes, alike(sizes)).eval(), inputs(sizes)
    mask = padding(sizes.batch, sizes.query_len)
    answer = layer(x, mask)
    sentences = [slice(sentence, sentence + 1) for sentence in range(sizes.batch)]
    kept = [mask[sentence].squeeze(0) != 0 for sentence in sentences]
    calls = [
        (x[one][:, keys], mask[one][:, keys]) for one, keys in zip(sentences, kept, strict=True)
    ]
    open_to_all, *alone = layer.each((x, everything(x)), *calls)
    assert tensors_differ(answer, open_to_all), (
        "With the mask and without it, your answer is the same. Who gets to see the mask?"
    )
    assert tensors_agree(answer[mask != 0], torch.cat([tokens.squeeze(0) for tokens in alone])), (
        "A padded token should be as good as absent for the others. Does the self-attention "
        "get the `attention_mask`, as the argument that it expects?"
    )
    assert tensors_agree(layer(x, mask.bool()), answer), (
        "With a mask of True and False your answer is another than with one of 1 and 0. Why?"
    )
    changed = answer_or_none(lambda: layer.unchanged(x, mask)) is None
    assert not changed or answer_or_none(lambda: layer.unchanged(x)) is None, (  # or it is x
        "After the call the mask is another. Which line changes it in place?"
    )


@pytest.mark.points(1)
def test_layer_norms_are_two_of_their_own(candidate, tensors_agree, tensors_differ):
    sizes = draw_sizes()
    reference, x = alike(sizes), inputs(sizes)
    layer, mask = build(candidate, sizes, reference), everything(x)
    before, again = layer.eval().each_leniently((x, mask), (x, mask))
    assert tensors_agree(again, before), "Asked twice, your layer answers differently. Why?"
    for norm in (reference.layer_norm_1, reference.layer_norm_2):
        state = {name: tensor.clone() for name, tensor in norm.state_dict().items()}
        norm.weight.data.mul_(-0.5)
        layer.load_state_dict(reference.state_dict())
        assert tensors_differ(layer.leniently(x, mask), before), (
            "Two LayerNorms learn two different scales. Does each sub-layer of yours have its own, "
            "over the features of a token, and are both used?"
        )
        norm.load_state_dict(state)


@pytest.mark.points(1)
def test_dropout_acts_on_sub_layer_outputs_before_the_residual(
    candidate, tensors_agree, tensors_differ, answer_or_none
):
    sizes = draw_sizes()
    x = inputs(sizes, TOKENS)
    mask, heard = everything(x), 0
    for number in (1, 2):
        reference = only_one_feature(sizes, number)
        undropped = build(candidate, sizes, reference).eval().leniently(x, mask)
        ask = partial(dropped_at, candidate, sizes, reference, x)
        trained = answer_or_none(lambda: ask(ALWAYS))  # noqa: B023  asked at once
        if trained is None or torch.allclose(trained, undropped):
            trained = ask(OFTEN)
        silence(reference.self_attention, reference.feature_transformation)
        nothing_to_add = build(candidate, sizes, reference).eval().leniently(x, mask)
        if torch.allclose(undropped, nothing_to_add):  # this sub-layer has no part in the answer
            continue
        heard += 1
        if torch.allclose(trained, undropped):  # nothing is dropped, unless inside of the part
            part = parts_with_a_rate(candidate, sizes, OFTEN, answer_or_none)[number]
            kept, _ = kept_by_own_part(candidate, sizes, part, answer_or_none)
            assert kept < 1 or tensors_differ(trained, undropped), (
                "With dropout and without it, your answer is the same. Where does dropout act?"
            )
            continue
        nearest = (trained - nothing_to_add).abs().amax(-1).flatten().argmin()
        one, wanted = (answer.flatten(0, 1)[nearest] for answer in (trained, nothing_to_add))
        assert tensors_agree(one, wanted), (
            "If dropout takes all that a sub-layer returns for a token, only what was there before "
            "and the norms are left. What is left in your layer? Dropout acts on each sub-layer's "
            "output, before it is added."
        )
    assert heard, "Whatever your sub-layers return, your answer is the same. Where are they used?"


@pytest.mark.points(0.5)
def test_dropout_rate_is_the_argument(candidate, number_is_close, answer_or_none):
    sizes = sizes_for_dropout()
    parts = {rate: parts_with_a_rate(candidate, sizes, rate, answer_or_none) for rate in (0.1, 0.9)}
    measured = [*measure_dropout(candidate, sizes, parts, answer_or_none)]
    assert measured and all(dropped.share > 0 for dropped in measured), AT_ITS_RATE
    for _, kept, again, *_ in measured:
        for other in (again, kept[:, :1], kept[..., :1]):  # of another call, token, feature
            assert bool(kept.all()) or bool((kept != other).any()), (
                "What dropout takes is chosen anew for each feature of each token, at each call. "
                "What goes together in yours?"
            )
    shares = [number_is_close(one.share, 1 - one.rate, within=0.075) for one in measured]
    scales = [
        number_is_close(_log(one.scale * (1 - one.rate)), 0, within=0.165) for one in measured
    ]
    assert all(shares) and all(scales), AT_ITS_RATE


@pytest.mark.points(0.5)
def test_dropout_rests_in_evaluation_and_at_rate_zero(
    candidate, tensors_agree, tensors_differ, answer_or_none
):
    sizes = draw_sizes()
    reference, x = alike(sizes), inputs(sizes)
    mask, hidden = everything(x), padding(sizes.batch, sizes.query_len)
    without = build(candidate, sizes, reference)
    once = without.eval().leniently(x, mask)
    masked = answer_or_none(lambda: without(x, hidden))
    assert tensors_agree(without.train().leniently(x, mask), once), (
        "With a dropout of 0.0, what is still random in training? Where does its rate come from?"
    )
    assert masked is None or tensors_agree(without.train()(x, hidden), masked), (
        "With a dropout of 0.0 and a mask, your answer in training is another. Why?"
    )
    parts = parts_with_a_rate(candidate, sizes, 0.5, answer_or_none).values()
    inside = any(kept_by_own_part(candidate, sizes, part, answer_or_none)[0] < 1 for part in parts)
    with_dropout = build(candidate, sizes, reference, dropout=0.5)
    assert inside or tensors_differ(with_dropout.train().leniently(x, mask), once), (
        "In training, is anything dropped?"
    )
    assert tensors_agree(with_dropout.eval().leniently(x, mask), once), (
        "After `layer.eval()` the rate of dropout should not matter. Which parts of your layer get "
        "it, and as which of their arguments?"
    )


def _log(size):
    return math.log(size) if size > 0 else math.nan
