"""Multi-head attentions to ask: a stand-in takes the place of `Attention`, so that a broken one costs
nothing here.
"""

import contextlib
from dataclasses import dataclass, field
from typing import Any, ClassVar

import torch

from . import stand_ins
from .own_weights import NotFound, are_linears, load_by_gradient, randomise
from .reference import MultiHeadAttention, Sizes, attention, draw_sizes, shake
from .relations import LOUD, NOTHING, everything, moves

TRIES = {torch.float64: 1, torch.float32: 4}  # at telling weights apart: rounding hides some


@dataclass(frozen=True)
class AskedHeads:
    """The student's `MultiHeadAttention`, and calls of it.

    `AskedHeads(candidate).draw(1, 5)` is a query of shape (batch, 1, d_model), and five keys and values.
    """

    candidate: Any
    sizes: Sizes = field(default_factory=draw_sizes)
    longer: ClassVar = (7, 257), (131, 137)  # than buffers of a fixed length, for a stand-in

    @property
    def features(self):
        """Of a query in one head."""
        return self.sizes.d_k

    def build(self, mask_future=False):
        """With random weights."""
        return self._build(mask_future)[0]

    def _build(self, *future):
        """A layer for each of these, whether it hides the future: with random weights of their own."""
        sizes = self.sizes.d_model, self.sizes.heads
        with self.candidate.stand_in(Attention=stand_ins.attention):
            layers = [
                self.candidate.build("MultiHeadAttention", *sizes, *[True] * one) for one in future
            ]
        for layer in layers:
            randomise(layer)
            layer.expect(lambda query, *_: query.shape)
            layer.supply(lambda query, key, value, *mask: None if mask else everything(key)).eval()
        return layers

    def refusals(self, *arguments):
        """Which exceptions building with (d_model, num_heads) raises, None for none."""
        with self.candidate.stand_in(Attention=stand_ins.attention):
            return self.candidate.refusals("MultiHeadAttention", *arguments)

    def build_both(self):
        """Without `mask_future`, and with it; with the same weights."""
        seeing, blind = self._build(False, True)
        randomise(seeing, blind)
        return seeing, blind

    def build_with_reference(self):
        """With the weights of a reference."""
        layer, call = self.build(), self.draw_square()
        reference: Any = shake(MultiHeadAttention(self.sizes.d_model, self.sizes.heads))
        reference.attend = self._attend
        with self.candidate.aside():
            is_loaded = not are_linears(layer, self.sizes.d_model) and _loads(layer, reference)
        if not is_loaded:
            layer.load_like(reference, *call)
        return layer, reference

    def _attend(self, *call):
        """What the student's layer attends with: its stand-in, once that was called."""
        stood_in = self.candidate.calls["Attention"]
        return stand_ins.attend(*call) if stood_in else attention(*call)

    def draw(self, query_len=None, key_len=None, few=False):
        """Query, key and value, three different tensors, of one sentence if `few`."""
        batch = 1 if few else self.sizes.batch
        query_len, key_len = query_len or self.sizes.query_len, key_len or self.sizes.key_len
        return tuple(
            torch.randn(batch, length, self.sizes.d_model)
            for length in (query_len, key_len, key_len)
        )

    def draw_square(self):
        """As many keys as queries, for what has nothing to do with that."""
        return self.draw(self.sizes.key_len)

    def answered(self, layer, *call):
        """The answer, of weights that are drawn anew: it has to follow from these, and to be no mere sum
        of what is projected. Of such a sum, calls on a line give answers on a line.
        """
        return self._follows(*self._on_a_line(layer, *call))

    def answered_if_at_all(self, layer, answer_or_none):
        """Another check asks whether there is an answer."""
        call = self.draw_square()
        if asked := answer_or_none(lambda: self._on_a_line(layer, *call)):
            self._follows(*asked)

    def _on_a_line(self, layer, *call):
        """The answers to three calls, the new weights, and the answer to the first call with these."""
        steps = [torch.randn_like(one) for one in call]
        line = [[one + n * step for one, step in zip(call, steps, strict=True)] for n in (0, 1, 2)]
        return *layer.each(*line), randomise(layer), layer(*call)

    def _follows(self, once, between, other, learned, answer):
        assert moves(once + other, 2 * between), NOTHING
        assert not learned or moves(answer, once), NOTHING
        return answer

    def hide(self, query, key, value, mask):
        """The same call, in which any weight on padding would be heard."""
        return query, key, torch.where(mask.unsqueeze(-1) == 0, value * LOUD, value), mask


def _loads(layer, reference):
    """Load the reference's weights into the layer; return whether their places were found."""
    for _ in range(TRIES[torch.get_default_dtype()]):
        with contextlib.suppress(NotFound):
            load_by_gradient(layer, reference)
            return True
    return False
