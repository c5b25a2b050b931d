"""Chains of blocks for a student's `gradient_by_layer`: theirs in the candidate's process, ours here.

x and upstream are (batch, seq, d_model). Blocks that are played, and their gradients, are computed here.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from .reference import Block, gradient_by_layer

BATCH, SEQ, D_MODEL = 3, 4, 5


class Pair(NamedTuple):
    """A block of the candidate's, and one of ours that computes the same."""

    theirs: Any
    ours: Block


class Chains:
    """Makes blocks and asks for the gradients along chains of them."""

    def __init__(self, candidate):
        self.candidate = candidate
        self.x, self.upstream = torch.randn(2, BATCH, SEQ, D_MODEL)
        self.identity = Pair(candidate.build("identity"), lambda x: x)
        self.detached = Pair(candidate.build("detached"), torch.Tensor.detach)

    def linear(self, scale=1.0):
        ours = nn.Linear(D_MODEL, D_MODEL)
        nn.init.normal_(ours.weight, std=scale)
        theirs = self.candidate.build_torch("Linear", D_MODEL, D_MODEL)
        theirs.load_state_dict(ours.state_dict())
        return Pair(theirs, ours)

    def constant(self, learned=False):
        value = torch.randn(BATCH, SEQ, D_MODEL)
        theirs = self.candidate.build("leaf", value, True) if learned else value
        return Pair(self.candidate.build("constant", theirs), lambda x: value)

    def bent(self):
        """Adds a little to each token that bends and mixes its features."""
        mix = torch.randn(D_MODEL, D_MODEL)
        return self._played(lambda x: x + 0.7 * torch.sin(x @ mix))

    def mixed(self):
        """Adds to each token what all tokens of its sentence have in common, bent."""
        return self._played(lambda x: 0.5 * x + x.mean(1, keepdim=True).square())

    def copy(self):
        """An identity that returns another tensor."""
        return self._played(torch.Tensor.clone)

    def again(self, pair):
        """Another block that computes the same as one that is played."""
        return self._played(pair.ours)

    def _played(self, compute):
        return Pair(self.candidate.play(compute), compute)

    def ask(self, *pairs, x=None, upstream=None):
        """What the student's function answers, as one tensor: (blocks,)."""
        theirs = [pair.theirs for pair in pairs]
        x, upstream = self.x if x is None else x, self.upstream if upstream is None else upstream
        return _one_tensor(self.candidate.function("gradient_by_layer")(theirs, x, upstream))

    def expected(self, *pairs):
        return gradient_by_layer([pair.ours for pair in pairs], self.x, self.upstream).detach()

    def through(self, *pairs):
        """What x becomes: (batch, seq, d_model)."""
        value = self.x
        for pair in pairs:
            value = pair.ours(value)
        return value.detach()

    def leaf(self, *requires):
        """x as an object of the candidate's that wants a gradient and has one, or one that wants none."""
        return self.candidate.build("leaf", self.x, *requires)

    def state(self, tensor):
        """requires_grad and grad of a tensor of the candidate's."""
        return self.candidate.function("state_of")(tensor)

    def must_follow(self, differ):
        """Of what does not follow from the blocks nobody can ask how it does."""
        one = self.linear()
        smaller, larger = self.ask(one), self.ask(one, self.linear(scale=3))
        assert smaller.numel() and differ(larger[:1], smaller[:1]), (
            "With one more block behind the first one, the gradient in front of it is another. Is your "
            "first number?"
        )


def _one_tensor(answer: Any) -> Tensor:
    """A list of numbers is another check's matter."""
    if isinstance(answer, list | tuple):
        return torch.stack(
            [torch.as_tensor(one, dtype=torch.get_default_dtype()) for one in answer]
        )
    assert isinstance(answer, Tensor), "Does your function return one tensor?"
    return answer
