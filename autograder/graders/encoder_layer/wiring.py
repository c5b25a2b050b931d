"""Encoder layers to ask about their wiring: stand-ins take the place of both sub-layers."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
from torch.nn.init import zeros_

from . import stand_ins
from .reference import EncoderLayer, Sizes, draw_sizes, shake
from .relations import NOTHING, answered, everything

ATTENTION, FEATURES = "MultiHeadAttention", "PositionWiseFeedForward"


@dataclass
class AskedEncoderLayer:
    """The student's `EncoderLayer`, with stand-ins for its sub-layers, and what to ask it with.

    `AskedEncoderLayer(candidate, answer_or_none).x` is a tensor of shape (batch, seq, d_model).
    """

    candidate: Any
    answer_or_none: Callable[..., Any]
    sizes: Sizes = field(default_factory=draw_sizes)

    def __post_init__(self):
        self.reference, self.x = alike(self.sizes), self.draw()
        parts = self.reference.self_attention, self.reference.feature_transformation
        for place, name, part in zip((0, 1), (ATTENTION, FEATURES), parts, strict=True):
            part.forward = partial(self._forward, place, name, part.forward)

    def _forward(self, place, name, own, *handed):
        """What a part of the reference computes: its own equation or, once that was called, its stand-in's."""
        if not self.candidate.calls[name]:
            return own(*handed)
        return self.computing(self.reference)[place](stand_ins.ANY, *handed)

    def draw(self, tokens=None):
        return torch.randn(self.sizes.batch, tokens or self.sizes.query_len, self.sizes.d_model)

    def build(self, dropout=0.0, reference=None):
        """A layer with the reference's weights, in its stand-ins, too."""
        reference = reference or self.reference
        return self.build_all((reference, dropout, *self.computing(reference)))[0]

    def computing(self, reference):
        """What the stand-ins compute with the weights of a reference."""
        attention, features = (
            dict(reference.self_attention.state_dict()),
            dict(reference.feature_transformation.state_dict()),
        )
        return (
            partial(stand_ins.multi_head_attention, heads=self.sizes.heads, weights=attention),
            partial(stand_ins.feed_forward, weights=features),
        )

    def parts(self):
        """The stand-ins that were called, as often as they were."""
        return [call.part for name in (ATTENTION, FEATURES) for call in self.candidate.calls[name]]

    def answered(self, layer):
        """The answer to x: it has to be another than that of the sub-layers alone."""
        answer = answered(layer.each, self.x)
        for before in (self.x, self.reference.self_attention(self.x, self.x, self.x)):
            alone = self.reference.feature_transformation(before)
            assert not torch.allclose(answer, before) and not torch.allclose(answer, alone), NOTHING
        return answer

    def build_all(self, *wanted):
        """Layers with the weights of a reference, a rate of dropout, and what the two stand-ins return or
        compute: each of these is (reference, rate, attention, features).
        """
        sizes = self.sizes.d_model, self.sizes.heads, self.sizes.d_ff
        layers = []
        for _, dropout, attention, features in wanted:
            with self.candidate.stand_in(**{ATTENTION: attention, FEATURES: features}):
                layers.append(self.candidate.build("EncoderLayer", *sizes, dropout))
        for layer, (reference, *_) in zip(layers, wanted, strict=True):
            layer.expect(lambda x, *_: x.shape)
            layer.supply(lambda x, *mask: None if mask else everything(x))
            layer.load_like(reference, self.x)
        return layers

    def build_twins(self):
        """Two layers with the same new numbers in `parameters()`, what they answer to x, and how many of the
        stand-ins that answer are among no layer's modules.
        """
        computes = self.computing(self.reference)
        twins = self.build_all(*[(self.reference, 0.0, *computes)] * 2)
        roles = {name: torch.randn_like(one) for name, one in self.reference.state_dict().items()}
        state = twins[0].randomise(state=roles)
        modules, answers = [twin.modules() for twin in twins], []
        for twin in twins:
            twin.load_parameters(state)
            # so that what is made anew in each call counts for more
            answers.append(twin.each(*[(self.x,)] * 3)[-1])
        registered = {module.facts.get("number") for tree in modules for module in tree}
        hidden = len({part.number for part in self.parts()} - registered)
        return twins[0], *answers, hidden


def alike(sizes):
    """Weights of size one, and the same ones in both norms: which is which does not matter."""
    reference: Any = shake(EncoderLayer(sizes.d_model, sizes.heads, sizes.d_ff))
    reference.layer_norm_2.load_state_dict(reference.layer_norm_1.state_dict())
    return reference


def silence(*modules):
    for module in modules:
        for parameter in module.parameters():
            zeros_(parameter)
