"""Stand-ins, which replace a student's own part and know no answer; and played functions, which the
examiner computes.

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
    """Describes a stand-in: the part that it replaces, and the names of the part's constructor and
    `forward` arguments in the statement.

    `function`: whether the part is a function, which is called directly and never built; `several`:
    how many things the stand-in returns, its answer first (0: the answer alone); `keeps`: whether
    its arguments are reported to the examiner.
    """

    name: str
    constructor: list[str]
    forward: list[str]
    function: bool = False  # it is called directly, and never built
    several: int = 0  # how many things it returns, its answer first; 0: the answer alone
    keeps: bool = False  # the examiner gets all that it is handed


class GradientFunction(torch.autograd.Function):
    """Computes the gradients of a stand-in, as an autograd function of their own: so `torch.func`
    unwraps the tensors that they are computed from.
    """

    @staticmethod
    def forward(stand_in: "StandIn", upstream, *handed):
        with torch._C.DisableTorchFunction():
            return tuple(type(stand_in).compute(stand_in, list(handed), upstream))

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.mark_non_differentiable(*[one for one in output if isinstance(one, torch.Tensor)])


class StandInFunction(torch.autograd.Function):
    """The forward pass of a stand-in as an autograd function; its gradients are computed outside of
    the student's graph.
    """

    @staticmethod
    def forward(stand_in: "StandIn", *handed):
        # a copy: autograd forbids to change a view in place
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
        """Compute each example of `torch.vmap` separately; return the results stacked along axis 0,
        and that axis.

        `info.batch_size`: how many examples; `in_dims`: the axis of the examples in each argument,
        or None.
        """
        items = list(zip(handed, in_dims[1:], strict=True))
        examples = [
            [item if axis is None else item.select(axis, i) for item, axis in items]
            for i in range(info.batch_size)
        ]
        return torch.stack([StandInFunction.apply(stand_in, *one) for one in examples]), 0


class StandIn(nn.Module):
    """A module in place of a student's part: it returns the tensor `returns`, or its first argument
    if `passes`, or what `compute` returns for the stand-in, its arguments and None; with the
    gradient of that result in place of None, `compute` returns the arguments' gradients.

    `constructor` and `call`: the signatures by which it is built and called.
    """

    spec: StandInSpec
    constructor: Signatures
    call: Signatures  # of `forward`
    compute: Callable  # of itself, what it was handed, and the upstream gradient or None
    passes = False
    returns: torch.Tensor | None = None

    def __init__(self, *args, **kwargs):
        super().__init__()
        self.number = next(numbers)
        built = bind(self.constructor, args, kwargs, defaults=False)  # those are the part's own
        self.built = {name: plain(value) for name, value in built.items()}

    def forward(self, *args, **kwargs):
        # what it calls is none of the student's calls
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
