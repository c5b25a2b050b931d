"""A student's `ModernStack` to be asked about its wiring: stand-ins take the place of its blocks and its norm."""

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch

from . import stand_ins
from .reference import ModernStack
from .weights import Sizes, Weights, draw_sizes, everything
from .wiring import NORM

BLOCK = "ModernBlock"
LOUD = 1e4  # times x, beside which what blocks add is nothing: each of them sees the same x
ALIKE = 0.98  # the cosine of two gradients of blocks that began alike


@dataclass
class AskedStack:
    """Stacks, and what to ask them with: x is (batch, seq, d_model).

    `AskedStack(candidate).build()(x)` is what the student's stack makes of it.
    """

    candidate: Any
    sizes: Sizes = field(default_factory=draw_sizes)

    def __post_init__(self):
        sizes = self.sizes
        self.weights = Weights(sizes)
        self.x = torch.randn(sizes.batch, sizes.seq, sizes.d_model) + 0.5
        self.reference = ModernStack(sizes.d_model, sizes.num_heads, sizes.d_ff, sizes.num_layers)
        state = {
            name: self.weights.of(name, tuple(one.shape))
            for name, one in self.reference.named_parameters()
        }
        self.reference.load_state_dict(state)
        self.reference.eval()
        norm: Any = self.reference.norm
        norm.forward = partial(self._norm, norm.forward)

    def expected(self, x, layers=None):
        """What so many blocks of the reference's make of x."""
        for _ in range(layers or self.sizes.num_layers):
            x = self.reference.blocks[0](x)
        return x

    def build(self, layers=None):
        """A stack with the reference's weights, in evaluation."""
        sizes = self.sizes
        layers = layers or sizes.num_layers
        arguments = sizes.d_model, sizes.num_heads, sizes.d_ff, layers
        computes = {BLOCK: partial(stand_ins.block, layers=layers), NORM: self._stand_in_for_norm}
        with self.candidate.stand_in(keeps=True, **computes):
            stack = self.candidate.build("ModernStack", *arguments)
        stack.load_parameters(
            {one.name: self.weights.of(one.name, one.shape) for one in stack.parameters()}
        )
        stack.expect(lambda x, *_: x.shape)
        return stack.supply(lambda x, *mask: None if mask else everything(x)).eval()

    @property
    def _stand_in_for_norm(self):
        gain = self.reference.norm.gamma.detach()
        return partial(stand_ins.norm, gain=gain, changed=None)

    def _norm(self, own, x):
        """The reference's norm: its own equation or, once that was called, its stand-in's."""
        return self._stand_in_for_norm(stand_ins.ANY, x) if self.candidate.calls[NORM] else own(x)

    @property
    def calls(self):
        """Of stand-ins for blocks, one after another."""
        return self.candidate.calls[BLOCK]

    @property
    def parts(self):
        return [call.part for call in self.calls]

    @property
    def seen(self):
        """What they were handed, (batch, seq, d_model) each."""
        return [call.handed[0] for call in self.calls]

    @property
    def returned(self):
        """What they returned, where a stack of all layers was asked."""
        layers = self.sizes.num_layers
        return [stand_ins.block(call.part, *call.handed, layers=layers) for call in self.calls]

    def numbers(self):
        """The numbers of the blocks that were called, in that order."""
        return list(dict.fromkeys(part.number for part in self.parts))

    def registered(self, stack):
        """The numbers of the stand-ins for blocks among its modules."""
        parts = [module for module in stack.modules() if module.stand_in == BLOCK]
        return {module.facts.get("number") for module in parts}

    def built(self):
        """The arguments of each block that was called."""
        return [[*part.built.values()] for part in self.parts]

    def calls_blocks(self, stack):
        """Whether stand-ins were called, or there may be blocks inside: of another stack nobody can ask."""
        return bool(self.parts) or self.learns_as_much(stack)

    def learns_as_much(self, stack):
        """Whether a stack with blocks of its own learns as many numbers as the reference, or a few more."""
        shapes = {one.identity: one.shape for one in stack.parameters() if one.requires_grad}
        count = sum(torch.Size(shape).numel() for shape in shapes.values())
        least = sum(one.numel() for one in self.reference.parameters())
        return least <= count < least * (1 + 0.5 / self.sizes.num_layers)

    def begin_alike(self):
        """Whether two blocks of a fresh stack have the same numbers: then x, large beside what they add,
        gives both the same gradients. Ask for it before `build`: no stand-in has to be there.
        """
        sizes = self.sizes
        stack = self.candidate.build(
            "ModernStack", sizes.d_model, sizes.num_heads, sizes.d_ff, sizes.num_layers
        )
        stack.expect(lambda x, *_: x.shape)
        arrived = stack.gradients(LOUD * self.x).parameters.values()
        matrices = [one.double().flatten() for one in arrived if one is not None and one.dim() > 1]
        pairs = [(a, b) for a in matrices for b in matrices if a is not b and a.shape == b.shape]
        return any(torch.cosine_similarity(a, b, 0) > ALIKE for a, b in pairs)
