"""A student's `ModernBlock` to be asked about its wiring: stand-ins take the place of its parts."""

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch

from . import stand_ins
from .reference import ModernBlock
from .weights import ATTENTION, FEED_FORWARD, Sizes, Weights, draw_sizes, everything, is_gain

PARTS = NORM, HEADS, GATED = "RMSNorm", "MultiHeadAttention", "SwiGLU"
SILENT = ATTENTION, FEED_FORWARD
NOTHING = (
    "Whatever the two sub-layers of your block return, its answer is the same. Where are they used?"
)
ALONE = (
    "Your answer is what one part makes of x, or x itself. What becomes of what the others return?"
)


@dataclass
class AskedBlock:
    """Blocks with one set of weights, and what to ask them: x is (batch, seq, d_model)."""

    candidate: Any
    sizes: Sizes = field(default_factory=draw_sizes)

    def __post_init__(self):
        self.weights, self.x = Weights(self.sizes), self.draw()
        self.reference = self.loaded()

    @property
    def parts(self):
        """The stand-ins that were called, as often as they were."""
        return [call.part for name in PARTS for call in self.candidate.calls[name]]

    def draw(self):
        """Tokens of different sizes, and with a mean: (batch, seq, d_model)."""
        sizes = self.sizes
        scale = 0.5 + torch.rand(sizes.batch, sizes.seq, 1)
        return scale * (torch.randn(sizes.batch, sizes.seq, sizes.d_model) + 0.5)

    def loaded(self, *zero):
        """The reference; `zero` are sub-layers whose matrices are zero. Its parts compute their own equations
        or, once these were called, what the stand-ins do.
        """
        block: Any = ModernBlock(self.sizes.d_model, self.sizes.num_heads, self.sizes.d_ff)
        state = {
            name: self.weights.of(name, tuple(parameter.shape), zero)
            for name, parameter in block.named_parameters()
        }
        block.load_state_dict(state)
        computes = self._stand_ins(block)
        for name, part in ((NORM, block.norm_1), (NORM, block.norm_2), (GATED, block.feed_forward)):
            part.forward = partial(self._forward, name, part.forward, computes[name])
        return block.eval()

    def _forward(self, name, own, stand_in, x):
        return stand_in(stand_ins.ANY, x) if self.candidate.calls[name] else own(x)

    def _stand_ins(self, reference, changed=None):
        """What the stand-ins compute, with the weights of a reference."""
        attention, features = (
            dict(part.state_dict()) for part in (reference.attention, reference.feed_forward)
        )
        heads = self.sizes.num_heads
        return {
            NORM: partial(stand_ins.norm, gain=self.weights.gain, changed=changed),
            HEADS: partial(stand_ins.multi_head_attention, heads=heads, weights=attention),
            GATED: partial(stand_ins.feed_forward, weights=features),
        }

    def build(self, *zero, changed=None):
        """The student's block with the same weights, in evaluation; the gain is another in the norm that is
        called first, or second, if it is `changed`.
        """
        reference, sizes = self.loaded(*zero), self.sizes
        with self.candidate.stand_in(**self._stand_ins(reference, changed)):
            block = self.candidate.build("ModernBlock", sizes.d_model, sizes.num_heads, sizes.d_ff)
        block.load_parameters(
            {one.name: self.weights.of(one.name, one.shape, zero) for one in block.parameters()}
        )
        block.expect(lambda x, *_: x.shape)
        return block.supply(lambda x, *mask: None if mask else everything(x)).eval()

    def numbers(self, name=None):
        """The numbers of the stand-ins that answered, in the order of their calls."""
        called = [part.number for part in self.parts if name in (None, part.name)]
        return list(dict.fromkeys(called))

    def answered(self, block):
        """The answer to x: sub-layers have a part in it, and it is not what the parts alone make of x."""
        answer, reference = block(self.x), self.reference
        silent = self.build(*SILENT)(self.x)
        used = self.learns_as_much(block) and not torch.allclose(answer, silent, atol=0.01)
        assert used, NOTHING
        alone = [self.x, reference.norm_1(self.x)]
        alone += [one(x) for one in (self._attended, reference.feed_forward) for x in alone]
        alone += [reference.feed_forward(x) for x in alone]
        scaled = [answer.norm() / one.norm() * one for one in alone]
        assert not any(torch.allclose(answer, one, atol=0.01) for one in scaled), ALONE
        return answer

    def _attended(self, x):
        return self.reference.attention(x, x, x)

    def own_gains(self, block):
        """(name, numbers) of each gain of its own that a block learns, another in one norm only."""
        d_model = self.sizes.d_model
        for one in {one.identity: one for one in block.parameters()}.values():
            if one.requires_grad and is_gain(one.name, one.shape, self.sizes):
                gains = self.weights.of(one.name, one.shape).reshape(-1, d_model)
                for row in range(len(gains)):
                    changed = gains.clone()
                    changed[row] *= -0.5
                    yield one.name, changed.reshape(one.shape)

    def learns_as_much(self, block):
        """Whether a block that has all its parts inside learns as many numbers as the reference."""
        learned = {one.identity: one.shape for one in block.parameters() if one.requires_grad}
        count = sum(torch.Size(shape).numel() for shape in learned.values())
        return bool(self.parts) or count >= sum(one.numel() for one in self.reference.parameters())

    def build_twins(self):
        """Two blocks with the same new numbers in `parameters()`, and how many stand-ins that answer are
        among no block's modules.
        """
        registered, twins = set(self.numbers()), [self.build() for _ in range(2)]
        state = twins[0].randomise()
        for block in twins:
            registered |= {module.facts.get("number") for module in block.modules()}
            block.load_parameters(state)
            block.each(*[(self.x,)] * 3)  # so that what is made anew in each call counts for more
        return *twins, len(set(self.numbers()) - registered)
