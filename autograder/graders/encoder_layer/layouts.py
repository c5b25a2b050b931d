"""The two forms in which an `Attention` is asked: (batch, seq, d_k), and (batch, num_heads, seq, d_k)."""

from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import torch

from .reference import Sizes, attention, draw_sizes, padding
from .relations import LOUD, answered, everything

THREE_AXES, FOUR_AXES = "without an axis for the heads", "with an axis for the heads"
DEPTH = 80  # how far below 0 kept scores are; their exponential is still a number in float32


@dataclass(frozen=True)
class AskedAttention:
    """The student's `Attention`, and calls of it in one layout.

    `AskedAttention(candidate, FOUR_AXES).draw(1, 5)` is a query of shape (batch, heads, 1, d_k), and five
    keys and values.
    """

    candidate: Any
    layout: str
    sizes: Sizes = field(default_factory=draw_sizes)
    longer: ClassVar = (7, 509), (509, 2), (131, 137)  # than buffers of a fixed length; all prime

    @property
    def features(self):
        return self.sizes.d_k

    def build(self):
        return self._build(False)[0]

    def build_both(self):
        """Without `mask_future`, and with it."""
        return self._build(False, True)

    def _build(self, *future):
        """A layer for each of these, whether it hides the future."""
        layers = [self.candidate.build("Attention", *[True] * one) for one in future]
        for layer in layers:
            layer.expect(lambda query, key, value, *_: (*query.shape[:-1], value.size(-1)))
            layer.supply(lambda query, key, value, *mask: None if mask else everything(key)).eval()
        return layers

    def draw(self, query_len=None, key_len=None, few=False):
        """Query, key and value, of one sentence and head if `few`.

        Scores have a spread of about 2, so that a missing scale is seen.
        """
        sizes = self.sizes._replace(batch=1, heads=1) if few else self.sizes
        leading = (sizes.batch, sizes.heads) if self.layout == FOUR_AXES else (sizes.batch,)
        query = 1.5 * torch.randn(*leading, query_len or sizes.query_len, sizes.d_k)
        key = 1.5 * torch.randn(*leading, key_len or sizes.key_len, sizes.d_k)
        return query, key, torch.randn(*key.shape[:-1], sizes.d_v)

    def draw_square(self):
        """As many keys as queries, for what has nothing to do with that."""
        return self.draw(self.sizes.key_len)

    def answered(self, layer, *call):
        """The answer, from which it can be asked how it came about: see `relations.answered`."""
        return answered(layer.each, *call)

    def hide(self, query, key, value, mask):
        """The same call, in which every score of a key that is kept is far below that of padding: a weak
        fill hides nothing.
        """
        hidden = (mask == 0).reshape(len(mask), *[1] * (query.dim() - 3), -1, 1)
        low = torch.zeros(query.size(-1))
        low[0] = (DEPTH * query.size(-1) ** 0.5) ** 0.5
        query[..., 0] = key[..., 0] = 0  # so that nothing else is in these scores
        query, key = query + low, torch.where(hidden, key, key - low)
        return query, key, torch.where(hidden, LOUD * value, value), mask


def look_around(candidate, answer_or_none):
    """Return the layout that works best, in which all is asked but for the one check that asks both.

    Raises what the student's code raises, and `AssertionError` where it answers in neither.
    """
    layer = candidate.build("Attention").eval()
    worth = {one: _worth(layer, answer_or_none, one) for one in (FOUR_AXES, THREE_AXES)}
    assert any(worth.values())
    return max(worth, key=lambda layout: worth[layout])


def _worth(layer, answer_or_none, layout):
    """How many answers there are in this layout, without a mask and with one, and how many are right."""
    asked, worth = AskedAttention(None, layout), 0
    inputs = asked.draw()
    for call in (inputs, (*inputs, padding(asked.sizes.batch, asked.sizes.key_len))):
        answer, wanted = answer_or_none(partial(layer, *call)), attention(*call)
        if isinstance(answer, torch.Tensor) and answer.shape == wanted.shape:
            worth += 1 + torch.allclose(answer.to(wanted), wanted, rtol=1e-3, atol=1e-3)
    return worth
