"""Encoder layers to ask about their wiring: stand-ins take the place of both sub-layers."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.nn.init import zeros_

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

    def draw(self, tokens=None):
        return torch.randn(self.sizes.batch, tokens or self.sizes.query_len, self.sizes.d_model)

    def build(self, dropout=0.0, parts=None, reference=None):
        """A layer with the reference's weights; `parts` collects the stand-ins that it uses."""
        parts, reference = [] if parts is None else parts, reference or self.reference

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

        return self.build_returning(reference, dropout, attend, transform)

    def answered(self, layer):
        """The answer to x: it has to be another than that of the sub-layers alone."""
        answer = answered(layer.each, self.x)
        for before in (self.x, self.reference.self_attention(self.x, self.x, self.x)):
            alone = self.reference.feature_transformation(before)
            assert not torch.allclose(answer, before) and not torch.allclose(answer, alone), NOTHING
        return answer

    def build_returning(self, reference, dropout, attention, features):
        sizes = self.sizes.d_model, self.sizes.heads, self.sizes.d_ff
        with self.candidate.stand_in(**{ATTENTION: attention, FEATURES: features}):
            layer = self.candidate.build("EncoderLayer", *sizes, dropout)
        layer.load_state_dict(reference.state_dict())
        layer.expect(lambda x, *_: x.shape)
        return layer.supply(lambda x, *mask: None if mask else everything(x)).eval()

    def build_twins(self):
        """Two layers with the same new numbers in `parameters()`, and how many of the stand-ins that answer
        are among no layer's modules.
        """
        parts: list = []
        registered = set[int]()
        twins = [self.build(parts=parts) for _ in range(2)]
        learned = [p for p in twins[0].parameters() if p.requires_grad]
        state = {parameter.name: torch.randn(parameter.shape) for parameter in learned}
        for layer in twins:
            registered |= {module.facts.get("number") for module in layer.modules()}
            layer.load_state_dict(state)
            layer.each(*[(self.x,)] * 3)  # so that what is made anew in each call counts for more
        return *twins, len({part.number for part in parts} - registered)


def _hides_the_future(part):
    """Whether the student's code asked the attention for it, perhaps without meaning to."""
    return any(value for name, value in part.built.items() if "future" in name or "causal" in name)


def alike(sizes):
    """Weights of size one, and the same ones in both norms: which is which does not matter."""
    reference: Any = shake(EncoderLayer(sizes.d_model, sizes.heads, sizes.d_ff))
    reference.layer_norm_2.load_state_dict(reference.layer_norm_1.state_dict())
    return reference


def silence(*modules):
    for module in modules:
        for parameter in module.parameters():
            zeros_(parameter)
