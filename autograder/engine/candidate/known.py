"""The functions that stand-ins compute on the candidate's side, and the record of their calls.

Such a function is sent as the source of its module, which imports only torch, math and types. It is
never the equation of the part that it replaces, so a student who reads it finds no answer.

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
MAX_NUMBERS = 1 << 19  # of all that a part is handed, as wide as they make each other (279,000)
MAX_SCORES = 1 << 20  # that attention makes of that: rows times the longest axis (279,000)
MAX_IN_A_QUESTION = 1 << 20  # numbers that are kept of one (333 thousand in a check)


class Part(NamedTuple):
    """Identifies a stand-in: the name of the part that it replaces, a number that no other stand-in
    has, its place among the stand-ins of that name in the order of first calls, and its constructor
    arguments by name.

    It is the first argument of the function that the stand-in computes, and is reported to the
    examiner.
    """

    name: str
    number: int  # of no other stand-in
    place: int  # among those of its name that one layer was built with, in the order of first calls
    built: dict[str, object]  # constructor arguments, by the student's names or the statement's


@cache
def module(text: str) -> dict[str, Any]:
    """Execute the source `text` of a module; return its names with their values. The result is
    cached.
    """
    names = {"__name__": "stand_ins"}
    exec(compile(text, "<stand-ins>", "exec"), names)
    return names


def function(text: str, name: str, given: dict[str, object]) -> Callable[..., torch.Tensor]:
    """Return the function `name` from the source `text` of a module, with the keyword arguments
    `given` bound.

    It is called with a `Part` and the arguments of that part.
    """
    return partial(module(text)[name], **given)


@dataclass
class StandInCalls:
    """Records the calls of stand-ins during one question, as pairs (part, copies of its arguments);
    the copies are None if no grader asked for them.

    `computed`: how many results and gradients were computed; `numbers`: how many numbers the copies
    hold.
    """

    calls: list[tuple[Part, list | None]] = field(default_factory=list)
    computed: int = 0
    numbers: int = 0

    def compute(
        self,
        function: Callable,
        part: Part,
        handed: list,
        upstream: torch.Tensor | None,
        keeps: bool = False,
    ) -> Any:
        """Return what `function` returns for the stand-in `part` and its arguments `handed`, and
        record the call. With `upstream`, the gradient of that result, return a list of the
        arguments' gradients instead, and record nothing.

        `keeps`: whether copies of the arguments are recorded. Raise `Unanswerable` if
        `check_handed` or the function raises for these arguments, or after MAX_COMPUTED calls; if
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
        """Return copies of `handed`, the arguments of a call. Raise `ValueError` if a question
        keeps more than MAX_IN_A_QUESTION numbers.
        """
        self.numbers += sum(numbers(one.shape) for one in handed if isinstance(one, torch.Tensor))
        if self.numbers > MAX_IN_A_QUESTION:
            raise ValueError("parts are handed more than any question asks for")
        return [one.detach().clone() if isinstance(one, torch.Tensor) else one for one in handed]


def computed(compute: Callable, handed: list, upstream: Any) -> Any:
    """Return `compute(*handed)` or, with `upstream`, a list of the gradients of (result *
    upstream).sum() for the arguments `handed`, None for one that has none. Raise `ValueError` if
    `upstream` is no floating-point tensor of the result's shape.
    """
    if upstream is None:
        with torch.no_grad():
            return compute(*handed)
    leaves = [
        with_gradient(one.detach() if isinstance(one, torch.Tensor) else one) for one in handed
    ]
    with torch.enable_grad():
        answer = compute(*leaves)
        if answer.shape != upstream.shape or not floats(upstream):
            raise ValueError("no gradient of what was computed")
        (answer * upstream).sum().backward()
    return [getattr(leaf, "grad", None) for leaf in leaves]


def check_handed(handed: Sequence[object]) -> int:
    """Return how many numbers `handed`, the arguments of a part, hold.

    Raise `TypeError` if the first is no tensor of numbers, or is floating-point in another
    precision than the check. Raise `ValueError` if they are too large. Every axis is limited by
    itself and counts as one if it is zero: the product of the sizes would then hide how large the
    others are.
    """
    tensors = [one for one in handed if isinstance(one, torch.Tensor)]
    first = handed[0] if handed else None
    if not isinstance(first, torch.Tensor) or first.dtype == torch.bool:
        raise TypeError("a part is handed numbers")
    if floats(first) and first.dtype != torch.get_default_dtype():
        raise TypeError("a part is handed numbers in the precision that was asked in")
    axes = itertools.zip_longest(*(reversed(tensor.shape) for tensor in tensors), fillvalue=1)
    together = [max(1, *sizes) for sizes in axes]  # as wide as they make each other
    longest, rows = max(together, default=1), math.prod(together[1:])
    if longest > MAX_AXIS or math.prod(together) > MAX_NUMBERS or rows * longest > MAX_SCORES:
        raise ValueError("a part is handed more than any question asks for")
    return sum(numbers(tensor.shape) for tensor in tensors)
