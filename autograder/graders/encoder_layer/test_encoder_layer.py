"""Exercise 5: the encoder layer. Stand-ins take the place of both sub-layers, so that broken ones cost nothing here.

All checks but the first compare the student's layer with itself, so that each mistake costs its
own check: a pre-norm layer still earns what it does right about masks and dropout.
"""

import math

import pytest
import torch

from .reference import draw_sizes, padding
from .wiring import OFTEN, AskedEncoderLayer, alike

TOKENS = 100  # so that some of them lose all that a sub-layer returns, at any rate
AT_ITS_RATE = (
    "Of each sub-layer's output, which share is dropped in training, and by what is the rest "
    "scaled? The rate is the argument `dropout`, and it acts once on each, at random: in your "
    "layer, or in the part that you hand it to."
)


@pytest.fixture
def asked(candidate, answer_or_none):
    return AskedEncoderLayer(candidate, answer_or_none)


@pytest.fixture
def reference(asked):
    return alike(asked.sizes)


@pytest.fixture
def x(asked):
    return asked.draw()


@pytest.mark.points(1.5)
def test_each_sub_layer_is_added_and_then_normalised(asked, reference, x, tensors_agree):
    sizes, parts = asked.sizes, []
    layer = asked.build(reference, parts=parts)
    assert tensors_agree(layer.strictly(x), reference(x)), (
        "Follow x through LayerNorm(x + Sublayer(x)), twice: what is added to what, what is "
        "normalised, and what does the second sub-layer get to see?"
    )
    wanted = [(sizes.d_model, sizes.heads), (sizes.d_model, sizes.d_ff)]
    assert all(tuple(part.built.values())[:2] in wanted for part in parts), (
        "Which sizes do the two sub-layers of your layer get?"
    )
    inside, upstream = x.clone().requires_grad_(), torch.randn_like(x)
    (reference(inside) * upstream).sum().backward()
    gradients = layer.gradients(x, upstream=upstream)
    assert gradients.arrive() and tensors_agree(gradients.arguments[0], inside.grad), (
        "Does gradient arrive at both norms, and through both sub-layers and both sums at the "
        "input? `detach`, `.data` and `no_grad` cut the graph, and so does what `forward` builds."
    )


@pytest.mark.points(0.25)
def test_mask_may_be_left_out(asked, reference, x, token_laws):
    layer = asked.build(reference)
    token_laws.mask_may_be_left_out(layer, x)
    asked.answered(layer, reference, x)


@pytest.mark.points(0.25)
def test_whatever_it_learns_is_among_its_parameters(asked, reference, x, tensors_agree, noted):
    parts, registered, answers = [], set(), []
    layers = [asked.build(reference, parts=parts) for _ in range(2)]
    learned = [p for p in layers[0].parameters() if p.requires_grad]
    state = {parameter.name: torch.randn(parameter.shape) for parameter in learned}
    for layer in layers:
        registered |= {m.facts.get("number") for m in layer.modules() if m.stand_in}
        layer.load_state_dict(state)
        calls = [(x,)] * 3  # so that what is made anew in each call counts for more
        answers.append(layer.each(*calls)[0])
    assert noted(len({part.number for part in parts} - registered)) == 0, (
        "Which sub-layers does `print(layer)` show? In a plain list or dict neither `parameters()` "
        "nor `train()` finds them."
    )
    assert tensors_agree(*answers), (
        "Two of your layers with the same numbers in `parameters()` answer differently. Which "
        "numbers take part that `parameters()` does not have?"
    )
    asked.answered(layers[0], reference, x)


@pytest.mark.points(1)
def test_padding_mask_reaches_the_attention(asked, reference, x, token_laws):
    token_laws.padding_is_absent(
        asked.build(reference),
        x,
        padding(*x.shape[:2]),
        "A padded token should be as good as absent for the others. Does the self-attention "
        "get the `attention_mask`, as the argument that it expects?",
    )


@pytest.mark.points(1)
def test_layer_norms_are_two_of_their_own(asked, reference, x, tensors_agree, tensors_differ):
    layer = asked.build(reference)
    before, again = layer.each((x,), (x,))
    assert tensors_agree(again, before), "Asked twice, your layer answers differently. Why?"
    for norm in (reference.layer_norm_1, reference.layer_norm_2):
        scale = norm.weight.detach().clone()
        norm.weight.data.mul_(-0.5)
        layer.load_state_dict(reference.state_dict())
        assert tensors_differ(layer(x), before), (
            "Two LayerNorms learn two different scales. Does each sub-layer of yours have its own, "
            "over the features of a token, and are both used?"
        )
        norm.weight.data.copy_(scale)


@pytest.mark.points(1)
def test_dropout_acts_on_sub_layer_outputs_before_the_residual(
    asked, tensors_agree, tensors_differ
):
    x, heard = asked.draw(TOKENS), 0
    for number in (1, 2):
        trained, undropped, nothing_to_add = asked.answers_of_one_feature(number, x)
        if torch.allclose(undropped, nothing_to_add):  # this sub-layer has no part in the answer
            continue
        heard += 1
        if torch.allclose(trained, undropped):  # nothing is dropped, unless inside of the part
            assert asked.drops_inside(OFTEN, [number]) or tensors_differ(trained, undropped), (
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
def test_dropout_rate_is_the_argument(candidate, answer_or_none, number_is_close):
    sizes = draw_sizes()._replace(heads=6, d_k=16)  # many features, so that chance is mild
    measured = [*AskedEncoderLayer(candidate, answer_or_none, sizes).measure_dropout(0.1, 0.9)]
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
    asked, reference, x, tensors_agree, tensors_differ, answer_or_none
):
    layer, mask = asked.build(reference), padding(*x.shape[:2])
    once = asked.answered(layer, reference, x)
    masked = answer_or_none(lambda: layer(x, mask))
    assert tensors_agree(layer.train()(x), once), (
        "With a dropout of 0.0, what is still random in training? Where does its rate come from?"
    )
    assert masked is None or tensors_agree(layer.train()(x, mask), masked), (
        "With a dropout of 0.0 and a mask, your answer in training is another. Why?"
    )
    inside, layer = asked.drops_inside(0.5), asked.build(reference, dropout=0.5)
    assert inside or tensors_differ(layer.train()(x), once), "In training, is anything dropped?"
    assert tensors_agree(layer.eval()(x), once), (
        "After `layer.eval()` the rate of dropout should not matter. Which parts of your layer get "
        "it, and as which of their arguments?"
    )


def _log(size):
    return math.log(size) if size > 0 else math.nan
