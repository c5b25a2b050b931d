"""The functions that stand-ins compute on the candidate's side, and the record of their calls.

Such a function is sent as the source of its module, which imports only torch, math and types. It
never contains the equation of the replaced part, so students who read it do not find the answer.

Example: `EncoderLayer` is graded with a stand-in for `MultiHeadAttention`. The stand-in returns
`attention(part, x, x, x, mask)` of the assignment's `stand_ins.py`. The candidate's answer reports
that the stand-in was called and, if a grader asked for them, its arguments. The examiner computes
the same function in place of the reference's attention.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, NamedTuple

import torch

from autograder.engine.candidate.faults import Unanswerable, describe_fault
from autograder.engine.candidate.tensors import floats, numbers, with_gradient

MAX_COMPUTED = 300  # answers of stand-ins and played functions in one question
MAX_AXIS = 1 << 10  # sizes of an axis (128)
MAX_NUMBERS = 1 << 19  # of a part's arguments, broadcast together (279,000)
MAX_SCORES = 1 << 20  # of attention on these arguments: rows times the longest axis (279,000)
MAX_IN_A_QUESTION = 1 << 20  # numbers that are kept of a question (333 thousand in a check)


class Part(NamedTuple):
    """Identifies a stand-in to the function that it computes, and to the examiner."""

    name: str  # of the part that it replaces
    number: int  # unique among all stand-ins
    place: int  # among the stand-ins of its name in a layer, in the order of first calls
    built: dict[str, object]  # constructor arguments, by the student's names or the statement's


@cache
def module(text: str) -> dict[str, Any]:
    """Execute the source `text` of a module, and return its names with their values (cached)."""
    names = {"__name__": "stand_ins"}
    exec(compile(text, "<stand-ins>", "exec"), names)
    return names


def function(text: str, name: str, settings: dict[str, object]) -> Callable[..., torch.Tensor]:
    """Return the function `name` from the source `text` of a module, with the keyword arguments
    `settings` bound.

    It takes a `Part` and the arguments of that part.
    """
    return partial(module(text)[name], **settings)


@dataclass
class StandInCalls:
    """Records the calls of stand-ins during a question."""

    # pairs (part, copies of its arguments, or None if no grader asked for them)
    calls: list[tuple[Part, list | None]] = field(default_factory=list)
    computed: int = 0  # results and gradients
    numbers: int = 0  # in the copies

    def compute(
        self,
        function: Callable,
        part: Part,
        handed: list,
        upstream: torch.Tensor | None,
        keeps: bool = False,
    ) -> Any:
        """Return the result of `function` for the stand-in `part` and its arguments `handed`, and
        record the call.

        With `upstream`, the gradient of the result, return a list of the arguments' gradients
        instead, and record nothing. `keeps`: whether copies of the arguments are recorded. Raise
        `Unanswerable` if `check_handed` or the function raises, or after MAX_COMPUTED calls. If
        memory runs out, that exception is raised unchanged.
        """
        self.computed += 1
        if self.computed > MAX_COMPUTED:  # a method that calls itself, mostly
            raise Unanswerable("asked_too_often", part.name)
        try:
            check_handed(handed)
            if upstream is None:
                self.calls.append((part, self._kept(handed) if keeps else None))
            return computed(partial(function, part), handed, upstream)
        except Exception as error:
            if describe_fault(error)["kind"] == "out_of_memory":
                raise
            raise Unanswerable("refused", part.name) from error

    def _kept(self, handed: list) -> list:
        self.numbers += sum(numbers(arg.shape) for arg in handed if isinstance(arg, torch.Tensor))
        if self.numbers > MAX_IN_A_QUESTION:
            raise ValueError("parts are handed more than any question asks for")
        return [arg.detach().clone() if isinstance(arg, torch.Tensor) else arg for arg in handed]


def computed(compute: Callable, handed: list, upstream: Any) -> Any:
    """Return `compute(*handed)` or, with `upstream`, the gradients of (result * upstream).sum() for
    the arguments `handed`, None for arguments without a gradient.

    Raise `ValueError` unless `upstream` is a floating-point tensor of the result's shape.
    """
    if upstream is None:
        with torch.no_grad():
            return compute(*handed)
    leaves = [
        with_gradient(arg.detach() if isinstance(arg, torch.Tensor) else arg) for arg in handed
    ]
    with torch.enable_grad():
        answer = compute(*leaves)
        if answer.shape != upstream.shape or not floats(upstream):
            raise ValueError("no gradient of what was computed")
        (answer * upstream).sum().backward()
    return [getattr(leaf, "grad", None) for leaf in leaves]


def check_handed(handed: Sequence[object]) -> int:
    """Return how many numbers `handed`, the arguments of a part, hold.

    Raise `TypeError` if the first is not a tensor of numbers, or has another floating-point
    precision than the check. Raise `ValueError` if they are too large.
    """
    tensors = [arg for arg in handed if isinstance(arg, torch.Tensor)]
    first = handed[0] if handed else None
    if not isinstance(first, torch.Tensor) or first.dtype == torch.bool:
        raise TypeError("a part is handed numbers")
    if floats(first) and first.dtype != torch.get_default_dtype():
        raise TypeError("a part is handed numbers in the precision that was asked in")
    axes = itertools.zip_longest(*(reversed(tensor.shape) for tensor in tensors), fillvalue=1)
    # an axis of size zero counts as 1, or the product would hide how large the other axes are
    broadcast = [max(1, *sizes) for sizes in axes]  # sizes that the arguments broadcast to
    longest, rows = max(broadcast, default=1), math.prod(broadcast[1:])
    if longest > MAX_AXIS or math.prod(broadcast) > MAX_NUMBERS or rows * longest > MAX_SCORES:
        raise ValueError("a part is handed more than any question asks for")
    return sum(numbers(tensor.shape) for tensor in tensors)
