"""Exercise 5: the encoder layer. Both sub-layers are played, so that broken ones cost nothing.

All checks but the first compare the student's layer with itself, so that each mistake costs its
own check: a pre-norm layer still earns what it does right about masks and dropout.
"""

import pytest
import torch

from autograder.graders.encoder_layer.reference import EncoderLayer, padding, shake

BATCH, SEQ, D_MODEL, HEADS, D_FF = 2, 5, 12, 3, 20
RATE = 0.3


@pytest.mark.points(2)
def test_each_sub_layer_is_added_and_then_normalised(candidate, agrees):
    layer, reference = _built(candidate, _alike)
    x = torch.randn(BATCH, SEQ, D_MODEL)
    assert agrees(layer.eval()(x), reference(x)), (
        "Follow x through LayerNorm(x + Sublayer(x)), twice: what is added to what, what is "
        "normalised, and what does the second sub-layer get to see?"
    )


@pytest.mark.points(1)
def test_padding_mask_reaches_the_attention(candidate, agrees):
    layer, _ = _built(candidate, _alike)
    x, mask = torch.randn(BATCH, SEQ, D_MODEL), padding(BATCH, SEQ)
    answer = layer.eval()(x, mask)
    assert not agrees(answer, layer(x)), (
        "With the mask and without it, your answer is the same. Who gets to see the mask?"
    )
    for sentence in range(BATCH):
        one, kept = slice(sentence, sentence + 1), mask[sentence] != 0
        assert agrees(answer[one][:, kept], layer(x[one][:, kept])), (
            "A padded token should be as good as absent for the others. Does the self-attention "
            "get the `attention_mask`, as the argument that it expects?"
        )


@pytest.mark.points(1)
def test_layer_norms_are_two_of_their_own(candidate, agrees):
    layer, reference = _built(candidate, _alike)
    x = torch.randn(BATCH, SEQ, D_MODEL)
    alike = layer.eval()(x)
    for norm in (reference.layer_norm_1, reference.layer_norm_2):
        state = {name: tensor.clone() for name, tensor in norm.state_dict().items()}
        norm.weight.data.mul_(-0.5)
        layer.load_state_dict(reference.state_dict())
        assert not agrees(layer(x), alike), (
            "Two LayerNorms learn two different scales. Does each sub-layer of yours have its own, "
            "over the features of a token, and are both used?"
        )
        norm.load_state_dict(state)


@pytest.mark.points(1)
def test_dropout_acts_on_sub_layer_outputs_before_the_residual(candidate, agrees):
    everything_dropped, reference = _built(candidate, _alike, dropout=1.0)
    x = torch.randn(BATCH, SEQ, D_MODEL)
    answer = everything_dropped.train()(x)
    assert not agrees(everything_dropped.eval()(x), answer), (
        "With dropout and without it, your answer is the same. Where does dropout act?"
    )
    nothing_to_add, _ = _built(candidate, lambda twin: _mute(twin, reference))
    assert agrees(answer, nothing_to_add.eval()(x)), (
        "If dropout took everything in training, only x and the two norms would be left. What is "
        "left in your layer? Dropout acts on each sub-layer's output, before it is added."
    )


@pytest.mark.points(0.5)
def test_dropout_rate_is_the_argument(candidate):
    for loud in (_loud_attention, _loud_feed_forward):
        layer, _ = _built(candidate, loud, dropout=RATE, d_model=66)
        out = layer.train()(torch.ones(BATCH, 40, 66))
        dropped = (out < 0).double().mean().item()  # what was kept is far above the mean
        assert abs(dropped - RATE) < 0.05, (
            "Of each sub-layer's output, which share is dropped in training? Does the rate come "
            "from the argument `dropout`, and does it act once on each?"
        )


@pytest.mark.points(0.5)
def test_dropout_rests_in_evaluation_and_at_rate_zero(candidate, agrees):
    x = torch.randn(BATCH, SEQ, D_MODEL)
    without, reference = _built(candidate, _alike)
    once = without.eval()(x)
    assert agrees(without.train()(x), once), (
        "With a dropout of 0.0, what is still random in training? Where does its rate come from?"
    )
    with_dropout, _ = _built(candidate, lambda twin: _copy(twin, reference), dropout=0.5)
    assert not agrees(with_dropout.train()(x), once), "In training, is anything dropped?"
    assert agrees(with_dropout.eval()(x), once), (
        "After `layer.eval()` the rate of dropout should not matter. Which parts of your layer get "
        "it, and as which of their arguments?"
    )


def _built(candidate, prepare, dropout=0.0, d_model=D_MODEL):
    """A layer of the candidate's with the weights of a reference; its sub-layers are played."""
    reference = prepare(EncoderLayer(d_model, HEADS, D_FF))

    def attend(part, query, key, value, attention_mask=None, *_):
        assert _sizes(part, "d_model", "num_heads") == (d_model, HEADS)
        reference.self_attention.mask_future = _hides_the_future(part)
        return reference.self_attention(query, key, value, attention_mask)

    def transform(part, x, *_):
        assert _sizes(part, "d_model", "d_ff") == (d_model, D_FF)
        return reference.feature_transformation(x)

    with candidate.stand_in(MultiHeadAttention=attend, PositionWiseFeedForward=transform):
        layer = candidate.build("EncoderLayer", d_model, HEADS, D_FF, dropout)
    layer.load_state_dict(reference.state_dict())
    return layer, reference


def _sizes(part, *names):
    """The first two arguments of a part's constructor, by the statement's names or by position."""
    given = tuple(part.built.values())[:2]
    return tuple(part.built.get(name, value) for name, value in zip(names, given, strict=False))


def _hides_the_future(part):
    """A third argument is `mask_future`, unless the student's own class calls it otherwise."""
    named = [value for name, value in part.built.items() if "future" in name or "causal" in name]
    return bool(named[0] if named else part.built.get("2", False))


def _alike(reference):
    """Weights of size one, and the same ones in both norms: which is which does not matter."""
    shake(reference)
    reference.layer_norm_2.load_state_dict(reference.layer_norm_1.state_dict())
    return reference


def _copy(twin, reference):
    twin.load_state_dict(reference.state_dict())
    return twin


def _mute(twin, reference):
    """The same norms, and sub-layers that return zeros."""
    _copy(twin, reference)
    for last in (twin.self_attention.output_transform, twin.feature_transformation.linear2):
        for parameter in last.parameters():
            torch.nn.init.zeros_(parameter)
    return twin


def _loud_attention(reference):
    """For x = 1: attention returns 1000 everywhere, feed forward 0, and the norms do nothing."""
    _quiet(reference)
    torch.nn.init.eye_(reference.self_attention.value_transform.weight)
    reference.self_attention.output_transform.weight.data.copy_(1_000 * torch.eye(66))
    return reference


def _loud_feed_forward(reference):
    """Attention returns 0 and feed forward 1000 everywhere, and the norms do nothing."""
    _quiet(reference)
    torch.nn.init.constant_(reference.feature_transformation.linear2.bias, 1_000)
    return reference


def _quiet(reference):
    for parameter in (
        *reference.self_attention.parameters(),
        *reference.feature_transformation.parameters(),
    ):
        torch.nn.init.zeros_(parameter)
