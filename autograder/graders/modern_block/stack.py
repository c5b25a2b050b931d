"""A student's `ModernStack` to be asked about its wiring: stand-ins take the place of its blocks and its norm."""

from dataclasses import dataclass, field
from typing import Any

import torch

from .reference import ModernStack
from .weights import Sizes, Weights, draw_sizes, everything
from .wiring import NORM

BLOCK = "ModernBlock"
LOUD = 1e4  # times x, beside which what blocks add is nothing: each of them sees the same x
ALIKE = 0.98  # the cosine of two gradients of blocks that began alike


@dataclass
class AskedStack:
    """Stacks, and what to ask them with: x is (batch, seq, d_model).

    The stand-in number i adds `i + 1` times what the reference's block adds, so that no two are the same.
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
        self.seen, self.returned = [], []  # tensors, in the order of the calls
        self.parts = []  # the stand-ins that were called

    def expected(self, x, layers=None):
        """What so many blocks of the reference's make of x."""
        for _ in range(layers or self.sizes.num_layers):
            x = self.reference.blocks[0](x)
        return x

    def build(self, layers=None):
        """A stack with the reference's weights, in evaluation."""
        sizes = self.sizes
        arguments = sizes.d_model, sizes.num_heads, sizes.d_ff, layers or sizes.num_layers
        with self.candidate.stand_in(**{BLOCK: self._block, NORM: self._norm}):
            stack = self.candidate.build("ModernStack", *arguments)
        stack.load_parameters(
            {one.name: self.weights.of(one.name, one.shape) for one in stack.parameters()}
        )
        stack.expect(lambda x, *_: x.shape)
        return stack.supply(lambda x, *mask: None if mask else everything(x)).eval()

    def _block(self, part, x, attention_mask=None):
        self.parts.append(part)
        self.seen.append(x.detach())
        place, block = (
            self.numbers().index(part.number) % self.sizes.num_layers,
            self.reference.blocks[0],
        )
        answer = x + (place + 1) * (block(x, attention_mask) - x)
        self.returned.append(answer.detach())
        return answer

    def _norm(self, part, x):
        return self.reference.norm(x)

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
