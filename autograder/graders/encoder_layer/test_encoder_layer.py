"""Exercise 5: the encoder layer. Stand-ins take the place of both sub-layers, so that broken ones cost nothing here.

All checks but the first compare the student's layer with itself, so that each mistake costs its
own check: a pre-norm layer still earns what it does right about masks and dropout.
"""

import math

import pytest
import torch
from torch.nn.init import constant_, zeros_

from .reference import EncoderLayer, draw_sizes, padding, shake

PILLAR, LEVEL = 1_000.0, {1: 0.1, 2: 0.001}  # of the input, of what a sub-layer returns
MANY = 150  # tokens, so that chance has little to say
AT_ITS_RATE = (
    "Of each sub-layer's output, which share is dropped in training, and by what is the rest "
    "scaled? The rate is the argument `dropout`, and it acts once on each, at random."
)


@pytest.mark.points(2)
def test_each_sub_layer_is_added_and_then_normalised(candidate, tensors_agree):
    sizes, handed = draw_sizes(), []
    reference = _alike(sizes)
    layer, x = _build(candidate, sizes, reference, handed=handed), _input(sizes)
    assert tensors_agree(layer.eval().strictly(x), reference(x)), (
        "Follow x through LayerNorm(x + Sublayer(x)), twice: what is added to what, what is "
        "normalised, and what does the second sub-layer get to see?"
    )
    wanted = [(sizes.d_model, sizes.heads), (sizes.d_model, sizes.d_ff)]
    assert all(pair in wanted for pair in handed), (
        "Which sizes do the two sub-layers of your layer get?"
    )
    inside, upstream = x.clone().requires_grad_(), torch.randn_like(x)
    (reference(inside) * upstream).sum().backward()
    gradients = layer.gradients(x, upstream=upstream)
    assert gradients.arrive() and tensors_agree(gradients.arguments[0], inside.grad), (
        "Does gradient arrive at both norms, and through both sub-layers and both sums at the "
        "input? `detach`, `.data` and `no_grad` cut the graph, and so does what `forward` builds."
    )


@pytest.mark.points(1)
def test_padding_mask_reaches_the_attention(candidate, tensors_agree, tensors_differ):
    sizes = draw_sizes()
    layer, x = _build(candidate, sizes, _alike(sizes)).eval(), _input(sizes)
    mask = padding(sizes.batch, sizes.query_len)
    answer = layer.unchanged(x, mask)
    sentences = [slice(sentence, sentence + 1) for sentence in range(sizes.batch)]
    kept = [mask[sentence].squeeze(0) != 0 for sentence in sentences]
    calls = [
        (x[one][:, keys], mask[one][:, keys]) for one, keys in zip(sentences, kept, strict=True)
    ]
    open_to_all, *alone = layer.each((x, torch.ones_like(mask)), *calls)
    trained = layer.train().unchanged(x, mask.bool())
    assert tensors_differ(answer, open_to_all), (
        "With the mask and without it, your answer is the same. Who gets to see the mask?"
    )
    assert tensors_agree(answer[mask != 0], torch.cat([tokens.squeeze(0) for tokens in alone])), (
        "A padded token should be as good as absent for the others. Does the self-attention "
        "get the `attention_mask`, as the argument that it expects?"
    )
    assert tensors_agree(trained, answer), (
        "With a mask of True and False, or in training, your answer is another. Why?"
    )


@pytest.mark.points(1)
def test_layer_norms_are_two_of_their_own(candidate, tensors_agree, tensors_differ):
    sizes = draw_sizes()
    reference = _alike(sizes)
    layer, x, mask = _build(candidate, sizes, reference), _input(sizes), _everything(sizes)
    alike, again = layer.eval().each_leniently((x, mask), (x, mask))
    assert tensors_agree(again, alike), "Asked twice, your layer answers differently. Why?"
    for norm in (reference.layer_norm_1, reference.layer_norm_2):
        state = {name: tensor.clone() for name, tensor in norm.state_dict().items()}
        norm.weight.data.mul_(-0.5)
        layer.load_state_dict(reference.state_dict())
        assert tensors_differ(layer.leniently(x, mask), alike), (
            "Two LayerNorms learn two different scales. Does each sub-layer of yours have its own, "
            "over the features of a token, and are both used?"
        )
        norm.load_state_dict(state)


@pytest.mark.points(1)
def test_dropout_acts_on_sub_layer_outputs_before_the_residual(
    candidate, tensors_agree, tensors_differ
):
    sizes = draw_sizes()
    reference, x, mask = _alike(sizes), _input(sizes), _everything(sizes)
    layer = _build(candidate, sizes, reference, dropout=1.0)
    everything_dropped = layer.train().leniently(x, mask)
    assert tensors_differ(layer.eval().leniently(x, mask), everything_dropped), (
        "With dropout and without it, your answer is the same. Where does dropout act?"
    )
    for last in (
        reference.self_attention.output_transform,
        reference.feature_transformation.linear2,
    ):
        _silence(last)
    nothing_to_add = _build(candidate, sizes, reference).eval().leniently(x, mask)
    assert tensors_agree(everything_dropped, nothing_to_add), (
        "If dropout took everything in training, only x and the two norms would be left. What is "
        "left in your layer? Dropout acts on each sub-layer's output, before it is added."
    )


@pytest.mark.points(0.5)
def test_dropout_rate_is_the_argument(candidate, number_is_close):
    sizes = draw_sizes()._replace(heads=6, d_k=16)
    x, mask = torch.zeros(sizes.batch, MANY, sizes.d_model), torch.ones(sizes.batch, MANY).long()
    x[..., 0], x[..., 1] = PILLAR, -PILLAR
    measured = []
    for number, rate in ((1, 0.1), (1, 0.9), (2, 0.1), (2, 0.9)):
        level = [torch.full_like(x, LEVEL[number] * (number == sub_layer)) for sub_layer in (1, 2)]
        layer = _loaded(candidate, sizes, _constant(sizes, number), rate, *level).train()
        (kept, size), (again, _) = map(_kept, layer.each_leniently((x, mask), (x, mask)))
        pillar = PILLAR if number == 1 else (sizes.d_model / 2) ** 0.5  # once the norm has seen it
        measured.append((rate, kept, size * pillar / LEVEL[number]))
        assert bool(kept.any()), AT_ITS_RATE
        for other in (again, kept[:, :1], kept[..., :1]):  # of another call, token, feature
            assert bool(kept.all()) or bool((kept != other).any()), (
                "What dropout takes is chosen anew for each feature of each token, at each call. "
                "What goes together in yours?"
            )
    shares = [
        number_is_close(kept.double().mean().item(), 1 - p, within=0.075) for p, kept, _ in measured
    ]
    scales = [number_is_close(_log(size * (1 - p)), 0, within=0.2) for p, _, size in measured]
    assert all(shares) and all(scales), AT_ITS_RATE


@pytest.mark.points(0.5)
def test_dropout_rests_in_evaluation_and_at_rate_zero(candidate, tensors_agree, tensors_differ):
    sizes = draw_sizes()
    reference, x, mask = _alike(sizes), _input(sizes), _everything(sizes)
    without = _build(candidate, sizes, reference)
    once = without.eval().leniently(x, mask)
    assert tensors_agree(without.train().leniently(x, mask), once), (
        "With a dropout of 0.0, what is still random in training? Where does its rate come from?"
    )
    with_dropout = _build(candidate, sizes, reference, dropout=0.5)
    assert tensors_differ(with_dropout.train().leniently(x, mask), once), (
        "In training, is anything dropped?"
    )
    assert tensors_agree(with_dropout.eval().leniently(x, mask), once), (
        "After `layer.eval()` the rate of dropout should not matter. Which parts of your layer get "
        "it, and as which of their arguments?"
    )


def _build(candidate, sizes, reference, dropout=0.0, handed=None):
    """A layer with the reference's weights; its sub-layers are stand-ins."""
    handed = [] if handed is None else handed

    def attend(part, query, key, value, attention_mask=None):
        handed.append(tuple(part.built.values())[:2])
        reference.self_attention.mask_future = _hides_the_future(part)
        try:
            return reference.self_attention(query, key, value, attention_mask)
        finally:
            reference.self_attention.mask_future = False

    def transform(part, x):
        handed.append(tuple(part.built.values())[:2])
        return reference.feature_transformation(x)

    return _loaded(candidate, sizes, reference, dropout, attend, transform)


def _loaded(candidate, sizes, reference, dropout, attention, transformation):
    parts = {"MultiHeadAttention": attention, "PositionWiseFeedForward": transformation}
    with candidate.stand_in(**parts):
        layer = candidate.build("EncoderLayer", sizes.d_model, sizes.heads, sizes.d_ff, dropout)
    layer.load_state_dict(reference.state_dict())
    return layer.expect(lambda x, *_: x.shape)


def _hides_the_future(part):
    """Whether the student's code asked the attention for it, perhaps without meaning to."""
    return any(value for name, value in part.built.items() if "future" in name or "causal" in name)


def _input(sizes):
    return torch.randn(sizes.batch, sizes.query_len, sizes.d_model)


def _everything(sizes):
    return torch.ones(sizes.batch, sizes.query_len, dtype=torch.int64)


def _alike(sizes):
    """Weights of size one, and the same ones in both norms: which is which does not matter."""
    reference = shake(EncoderLayer(sizes.d_model, sizes.heads, sizes.d_ff))
    reference.layer_norm_2.load_state_dict(reference.layer_norm_1.state_dict())
    return reference


def _silence(*modules):
    for module in modules:
        for parameter in module.parameters():
            zeros_(parameter)


def _constant(sizes, number):
    """Weights with which a student's own sub-layer returns LEVEL for a pillar, the other one 0."""
    reference = EncoderLayer(sizes.d_model, sizes.heads, sizes.d_ff)
    _silence(reference.self_attention, reference.feature_transformation)
    if number == 1:
        reference.self_attention.value_transform.weight.data[:, 0] = LEVEL[1] / PILLAR
        torch.nn.init.eye_(reference.self_attention.output_transform.weight)
    else:
        constant_(reference.feature_transformation.linear2.bias, LEVEL[2])
    return reference


def _kept(answer):
    """Which features of the sub-layer's output were kept, and how large they had become.

    Beside the two pillars the input is zero, so that a token has two values, dropped and kept;
    their distance is told in pillars, and so a norm does not change it.
    """
    pillars, rest = (answer[..., :1] - answer[..., 1:2]) / 2, answer[..., 2:]
    lowest, highest = rest.amin(-1, keepdim=True), rest.amax(-1, keepdim=True)
    kept = rest > 0.75 * lowest + 0.25 * highest  # not all are as high: attention drops weights
    return kept, ((rest - lowest) / pillars)[kept].mean().item()


def _log(size):
    return math.log(size) if size > 0 else math.nan
