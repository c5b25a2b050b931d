"""Encoder layers to ask about their wiring: stand-ins take the place of both sub-layers.

What a sub-layer returns is chosen, so that it can be found again in the layer's answer: then what
dropout takes of it is measured by the student's own layer without dropout, whatever it adds and
normalises in which order.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch
from torch.nn.init import constant_, eye_, zeros_

from .reference import EncoderLayer, Sizes, draw_sizes, shake
from .relations import NOTHING, answered, everything

PILLAR, LEVEL = 10.0, 1e-3  # of the input, of what a sub-layer returns: a norm hardly sees it
TOKENS = 150  # so that chance has little to say
ALWAYS, OFTEN = 1.0, 0.9  # rates; the first one, which leaves nothing to chance, is refused by some
ATTENTION, FEATURES = "MultiHeadAttention", "PositionWiseFeedForward"


class Dropped(NamedTuple):
    """What dropout did to the output of one sub-layer, in two calls."""

    rate: float  # that was asked for
    kept: torch.Tensor  # (batch, seq, features), of the first call,
    again: torch.Tensor  # and of the second
    share: float  # of what is kept, own parts included
    scale: float  # by which that is multiplied


@dataclass(frozen=True)
class AskedEncoderLayer:
    """The student's `EncoderLayer`, with stand-ins for its sub-layers, and inputs for it.

    `AskedEncoderLayer(candidate, answer_or_none).draw()` is a tensor of shape (batch, seq, d_model).
    """

    candidate: Any
    answer_or_none: Callable[..., Any]
    sizes: Sizes = field(default_factory=draw_sizes)

    def draw(self, tokens=None):
        return torch.randn(self.sizes.batch, tokens or self.sizes.query_len, self.sizes.d_model)

    def build(self, reference, dropout=0.0, parts=None):
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

        return self._build(reference, dropout, attend, transform)

    def answered(self, layer, reference, x):
        """The answer to x: it has to be another than that of the sub-layers alone."""
        answer, attended = answered(layer.each, x), reference.self_attention(x, x, x)
        for before in (x, attended):
            alone = reference.feature_transformation(before)
            assert not torch.allclose(answer, before) and not torch.allclose(answer, alone), NOTHING
        return answer

    def _build(self, reference, dropout, attention, features):
        sizes = self.sizes.d_model, self.sizes.heads, self.sizes.d_ff
        with self.candidate.stand_in(**{ATTENTION: attention, FEATURES: features}):
            layer = self.candidate.build("EncoderLayer", *sizes, dropout)
        layer.load_state_dict(reference.state_dict())
        layer.expect(lambda x, *_: x.shape)
        return layer.supply(lambda x, *mask: None if mask else everything(x)).eval()

    def answers_of_one_feature(self, number, x):
        """What the layer answers where sub-layer `number` returns one feature of each token, and the other
        one nothing: in training, in evaluation, and where neither returns anything.
        """
        reference = only_one_feature(self.sizes, number)
        undropped = self.build(reference)(x)
        trained = self.answer_or_none(lambda: self.build(reference, ALWAYS).train()(x))
        if trained is None or torch.allclose(trained, undropped):
            trained = self.build(reference, OFTEN).train()(x)
        silence(reference.self_attention, reference.feature_transformation)
        return trained, undropped, self.build(reference)(x)

    def parts_with_a_rate(self, rate):
        """By sub-layer: the stand-in that was built with a rate, if there is one."""
        x, parts = self.draw(), []
        layer = self.build(alike(self.sizes), rate, parts)
        self.answer_or_none(lambda: layer(x))
        with_a_rate = {part.name: part for part in parts if _has_a_rate(part)}
        return {1: with_a_rate.get(ATTENTION), 2: with_a_rate.get(FEATURES)}

    def drops_inside(self, rate, numbers=(1, 2)):
        """Whether these sub-layers drop some of their own output, where they get the rate."""
        parts = self.parts_with_a_rate(rate)
        return any(self.kept_by_own_part(parts[number])[0] < 1 for number in numbers)

    def kept_by_own_part(self, part):
        """Which share of its output the student's own part keeps in training, and its factor.

        It is built as their layer builds it. Nothing is dropped where it does not work: another
        exercise asks for that.
        """
        x = torch.randn(1, 1, self.sizes.d_model).expand(self.sizes.batch, TOKENS, -1).contiguous()
        handed = (x,) if part and part.name == FEATURES else (x, x, x)

        def ask():
            own = self.candidate.build_own(part).expect(lambda x, *_: x.shape)
            own.supply(lambda *call: everything(x) if len(call) == 3 else None)
            return own.eval()(*handed), own.train()(*handed)

        evaluated, trained = (part and self.answer_or_none(ask)) or (x, x)
        kept = (trained != 0) & (evaluated != 0)
        share = kept.sum().item() / max(1, (evaluated != 0).sum().item())
        if share in (0, 1):  # what is dropped inside of it shows nothing at its end
            return share, share
        known = evaluated[kept]
        return share, ((trained[kept] * known).sum() / (known * known).sum()).item()

    def measure_dropout(self, *rates):
        """What is dropped of the output of each sub-layer, at each rate; nothing of a sub-layer that has
        no part in the answer.

        Beside two pillars the input is zero. The sub-layer returns a constant for half of the other
        features: where they come from, compared with the others, says which of them were kept.
        """
        own = {rate: self.parts_with_a_rate(rate) for rate in rates}
        x = torch.zeros(self.sizes.batch, TOKENS, self.sizes.d_model)
        x[..., 0], x[..., 1] = PILLAR, -PILLAR
        level = torch.zeros_like(x)
        loud = level.clone()
        loud[..., 2::2] = LEVEL
        silent = self._build(_constant(self.sizes, 0), 0.0, level, level)(x)
        for number, returned in ((1, (loud, level)), (2, (level, loud))):
            reference = _constant(self.sizes, number)
            heard = self._build(reference, 0.0, *returned)(x)
            gain = _contrast(heard, silent).flatten(0, 1).median(0).values
            if not bool((gain.abs() > LEVEL * 1e-3).all()):
                continue
            for rate in rates:
                trained = self._build(reference, rate, *returned).train().each((x,), (x,))
                one, other = (_contrast(answer, silent) / gain for answer in trained)
                share, scale = self.kept_by_own_part(own[rate][number])
                kept = _kept(one)
                scale *= one[kept].median().item() if kept.any() else math.nan
                share *= kept.double().mean().item()
                yield Dropped(rate, kept, _kept(other), share, scale)


def _hides_the_future(part):
    """Whether the student's code asked the attention for it, perhaps without meaning to."""
    return any(value for name, value in part.built.items() if "future" in name or "causal" in name)


def _has_a_rate(part):
    return any(type(value) is float and 0 < value < 1 for value in part.built.values())


def alike(sizes):
    """Weights of size one, and the same ones in both norms: which is which does not matter."""
    reference: Any = shake(EncoderLayer(sizes.d_model, sizes.heads, sizes.d_ff))
    reference.layer_norm_2.load_state_dict(reference.layer_norm_1.state_dict())
    return reference


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
