"""Encoder layers to ask about their wiring: stand-ins take the place of both sub-layers.

What a sub-layer returns is chosen, so that it can be found again in the layer's answer: then what
dropout takes of it is measured by the student's own layer without dropout, whatever it adds and
normalises in which order.
"""

import math
from typing import Any, NamedTuple

import torch
from torch.nn.init import constant_, eye_, zeros_

from .reference import EncoderLayer, draw_sizes, shake
from .relations import everything

PILLAR, LEVEL = 10.0, 1e-3  # of the input, of what a sub-layer returns: a norm hardly sees it
TOKENS = 150  # so that chance has little to say
ATTENTION, FEATURES = "MultiHeadAttention", "PositionWiseFeedForward"


class Dropped(NamedTuple):
    """What dropout did to the output of one sub-layer, in two calls."""

    rate: float  # that was asked for
    kept: torch.Tensor  # (batch, seq, features), of the first call,
    again: torch.Tensor  # and of the second
    share: float  # of what is kept, own parts included
    scale: float  # by which that is multiplied


def build(candidate, sizes, reference, dropout=0.0, parts=None):
    """A layer with the reference's weights; `parts` collects the stand-ins that it uses."""
    parts = [] if parts is None else parts

    def attend(part, query, key, value, attention_mask=None):
        parts.append(part)
        reference.self_attention.mask_future = _hides_the_future(part)
        try:
            return reference.self_attention(query, key, value, attention_mask)
        finally:
            reference.self_attention.mask_future = False

    def transform(part, x):
        parts.append(part)
        return reference.feature_transformation(x)

    return _loaded(candidate, sizes, reference, dropout, attend, transform)


def _loaded(candidate, sizes, reference, dropout, attention, features):
    with candidate.stand_in(**{ATTENTION: attention, FEATURES: features}):
        layer = candidate.build("EncoderLayer", sizes.d_model, sizes.heads, sizes.d_ff, dropout)
    layer.load_state_dict(reference.state_dict())
    return layer.expect(lambda x, *_: x.shape)


def _hides_the_future(part):
    """Whether the student's code asked the attention for it, perhaps without meaning to."""
    return any(value for name, value in part.built.items() if "future" in name or "causal" in name)


def alike(sizes):
    """Weights of size one, and the same ones in both norms: which is which does not matter."""
    reference: Any = shake(EncoderLayer(sizes.d_model, sizes.heads, sizes.d_ff))
    reference.layer_norm_2.load_state_dict(reference.layer_norm_1.state_dict())
    return reference


def inputs(sizes, tokens=None):
    return torch.randn(sizes.batch, tokens or sizes.query_len, sizes.d_model)


def with_mask_if_demanded(layer, x, answer_or_none):
    """The arguments of a call: x alone, where the student's code takes it alone."""
    return (x,) if answer_or_none(lambda: layer(x)) is not None else (x, everything(x))


def silence(*modules):
    for module in modules:
        for parameter in module.parameters():
            zeros_(parameter)


def only_one_feature(sizes, number):
    """Weights with which sub-layer `number` returns one feature of each token, the other nothing."""
    reference = alike(sizes)
    kept = int(torch.randint(sizes.d_model, ()))
    last = reference.self_attention.output_transform, reference.feature_transformation.linear2
    silence(last[2 - number])
    for parameter in last[number - 1].parameters():
        row = parameter.data[kept].clone()
        zeros_(parameter)
        parameter.data[kept] = row
    return reference


def dropped_at(candidate, sizes, reference, x, rate):
    """What the layer answers in training."""
    return build(candidate, sizes, reference, rate).train().leniently(x, everything(x))


def parts_with_a_rate(candidate, sizes, rate, answer_or_none):
    """By sub-layer: the stand-in that was built with a rate, if there is one."""
    x = inputs(sizes)
    parts: list[Any] = []
    layer = build(candidate, sizes, alike(sizes), rate, parts)
    answer_or_none(lambda: layer.eval().leniently(x, everything(x)))
    with_a_rate = {part.name: part for part in parts if _has_a_rate(part)}
    return {1: with_a_rate.get(ATTENTION), 2: with_a_rate.get(FEATURES)}


def _has_a_rate(part):
    return any(type(value) is float and 0 < value < 1 for value in part.built.values())


def kept_by_own_part(candidate, sizes, part, answer_or_none):
    """Which share of its output the student's own part keeps in training, and its factor.

    It is built as their layer builds it. Nothing is dropped where it does not work: another
    exercise asks for that.
    """
    x = torch.randn(1, 1, sizes.d_model).expand(sizes.batch, TOKENS, sizes.d_model).contiguous()

    def ask():
        own = candidate.build_own(part).expect(lambda x, *_: x.shape)
        if part.name == FEATURES:
            return own.eval()(x), own.train()(x)
        handed = x, x, x, everything(x)
        return own.eval().leniently(*handed), own.train().leniently(*handed)

    evaluated, trained = (part and answer_or_none(ask)) or (x, x)
    kept = (trained != 0) & (evaluated != 0)
    share = kept.sum().item() / max(1, (evaluated != 0).sum().item())
    if share in (0, 1):  # what is dropped inside of it shows nothing at its end
        return share, share
    known = evaluated[kept]
    return share, ((trained[kept] * known).sum() / (known * known).sum()).item()


def measure_dropout(candidate, sizes, parts, answer_or_none):
    """What is dropped of the output of each sub-layer, for each rate in `parts`, which has the parts
    with a rate of their own; nothing of a sub-layer that has no part in the answer.

    Beside two pillars the input is zero. The sub-layer returns a constant for half of the other
    features: where they come from, compared with the others, says which of them were kept.
    """
    x = torch.zeros(sizes.batch, TOKENS, sizes.d_model)
    x[..., 0], x[..., 1] = PILLAR, -PILLAR
    mask, level = everything(x), torch.zeros_like(x)
    loud = level.clone()
    loud[..., 2::2] = LEVEL
    build_silent = _returning(candidate, sizes, (level, level), 0)
    silent = build_silent(0.0).eval().leniently(x, mask)
    for number, returned in ((1, (loud, level)), (2, (level, loud))):
        build_loud = _returning(candidate, sizes, returned, number)
        heard = build_loud(0.0).eval().leniently(x, mask)
        gain = _contrast(heard, silent).flatten(0, 1).median(0).values
        if not bool((gain.abs() > LEVEL * 1e-3).all()):
            continue
        for rate, own in parts.items():
            trained = build_loud(rate).train().each_leniently((x, mask), (x, mask))
            one, other = (_contrast(answer, silent) / gain for answer in trained)
            share, scale = kept_by_own_part(candidate, sizes, own[number], answer_or_none)
            kept = _kept(one)
            scale *= one[kept].median().item() if kept.any() else math.nan
            yield Dropped(rate, kept, _kept(other), share * kept.double().mean().item(), scale)


def _contrast(answer, silent):
    """How far the features that the sub-layer returns are from where they are without it."""
    moved = answer - silent
    return moved[..., 2::2] - moved[..., 3::2].mean(-1, keepdim=True)


def _kept(times):
    """Which features were kept: not all of them are as high, since dropout on the weights of an
    attention makes that vary. How high they are is told by most tokens: some may be wild.
    """
    high = times.kthvalue(round(0.95 * times.size(-1))).values.median()  # (batch, seq) -> ()
    return times > max(0.05 * high.item(), 0.02)


def _returning(candidate, sizes, returned, number):
    """Return a function that builds a layer with this rate, whose sub-layers return these tensors."""
    reference = _constant(sizes, number)
    return lambda rate: _loaded(candidate, sizes, reference, rate, *returned)


def _constant(sizes, number):
    """Weights with which a student's own sub-layer `number` returns what its stand-in does."""
    reference = EncoderLayer(sizes.d_model, sizes.heads, sizes.d_ff)
    silence(reference.self_attention, reference.feature_transformation)
    if number == 1:
        reference.self_attention.value_transform.weight.data[2::2, 0] = LEVEL / PILLAR
        eye_(reference.self_attention.output_transform.weight)
    if number == 2:
        constant_(reference.feature_transformation.linear2.bias[2::2], LEVEL)
    return reference


def sizes_for_dropout():
    return draw_sizes()._replace(heads=6, d_k=16)
