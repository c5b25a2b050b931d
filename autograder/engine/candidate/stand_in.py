"""Stand-ins, which replace a student's own part without containing an answer, and played functions,
which the examiner computes.

    self.attention = Attention(mask_future)      the student's line: their class makes a stand-in, which
                                                 keeps {"mask_future": False}
    self.attention(q, k, v, mask)                its `compute` answers, and gradients go through it
    layer.modules()                              has one module with `stand_in == "Attention"`
"""

import copy
import itertools
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn

from autograder.engine.candidate.signatures import Signatures, bind, plain

numbers = itertools.count()


@dataclass(frozen=True)
class StandInSpec:
    """Describes a stand-in."""

    name: str  # of the part that it replaces
    constructor: list[str]  # argument names in the statement
    forward: list[str]  # argument names in the statement
    function: bool = False  # the part is a function, which is called directly and never built
    several: int = 0  # length of the tuple that it returns, its answer first; 0: the answer alone
    keeps: bool = False  # its arguments are reported to the examiner


class GradientFunction(torch.autograd.Function):
    """Computes the gradients of a stand-in."""

    # a separate autograd function, so that `torch.func` unwraps the tensors

    @staticmethod
    def forward(stand_in: "StandIn", upstream, *handed):
        with torch._C.DisableTorchFunction():
            return tuple(type(stand_in).compute(stand_in, list(handed), upstream))

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.mark_non_differentiable(*[grad for grad in output if isinstance(grad, torch.Tensor)])


class StandInFunction(torch.autograd.Function):
    """Runs the forward pass of a stand-in, and computes its gradients outside of the student's
    graph.
    """

    @staticmethod
    def forward(stand_in: "StandIn", *handed):
        # a copy, because autograd forbids changing a view in place
        return type(stand_in).compute(stand_in, list(handed), None).clone()

    @staticmethod
    def setup_context(ctx, inputs, output):
        stand_in, *handed = inputs
        ctx.called = stand_in, handed

    @staticmethod
    def backward(ctx, upstream):
        stand_in, handed = ctx.called
        return None, *GradientFunction.apply(stand_in, upstream, *handed)

    @staticmethod
    def vmap(info, in_dims, stand_in, *handed):
        """Compute each example of `torch.vmap` separately, and stack the results along axis 0.

        `in_dims`: the axis of the examples in each argument, or None.
        """
        pairs = list(zip(handed, in_dims[1:], strict=True))
        examples = [
            [arg if axis is None else arg.select(axis, i) for arg, axis in pairs]
            for i in range(info.batch_size)
        ]
        return torch.stack([StandInFunction.apply(stand_in, *args) for args in examples]), 0


class StandIn(nn.Module):
    """A module in place of a student's part.

    It returns the tensor `returns`, its first argument if `passes`, or else the result of
    `compute(stand_in, arguments, None)`. With the gradient of that result in place of None,
    `compute` returns a list of the arguments' gradients.
    """

    spec: StandInSpec
    constructor: Signatures  # by which it is built
    call: Signatures  # by which it is called
    compute: Callable
    passes = False
    returns: torch.Tensor | None = None

    def __init__(self, *args, **kwargs):
        super().__init__()
        self.number = next(numbers)
        # without the defaults, which are the student's part's own
        built = bind(self.constructor, args, kwargs, defaults=False)
        self.built = {name: plain(value) for name, value in built.items()}

    def forward(self, *args, **kwargs):
        # its own calls do not count among the student's calls in `library.py`
        with torch._C.DisableTorchFunction(), torch._C._DisableTorchDispatch():
            answer = self._answer(args, kwargs)
        return (answer, *[None] * (self.spec.several - 1)) if self.spec.several else answer

    def _answer(self, args, kwargs):
        if self.returns is not None:
            return self.returns
        if self.passes:
            return [*args, *kwargs.values()][0]
        handed = bind(self.call, (self, *args), kwargs)
        _, *values = handed.values()
        if torch.is_grad_enabled() or torch._C._are_functorch_transforms_active():
            return StandInFunction.apply(self, *values)
        return StandInFunction.forward(self, *values)  # `apply` would first read a signature

    def __deepcopy__(self, memo):
        twin = copy.copy(self)
        twin.number = next(numbers)
        return twin
