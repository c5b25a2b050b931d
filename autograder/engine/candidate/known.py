"""Functions that both sides know: what stand-ins compute without asking, and what they were handed.

Such a function comes as the text of its module, which imports torch, math and types alone. It is not the
equation of the part that it stands in for: whoever takes it from here has no answer to anything.

`EncoderLayer` is graded with a stand-in for `MultiHeadAttention`. It returns `attention(part, x, x, x, mask)`
of the assignment's `stand_ins.py`, here; that it was called goes back with the answer, and what it was
handed if a grader asked for that; and the examiner computes the same function where the reference has its
attention.
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
    """A stand-in, as what it computes may depend on it, and as the examiner hears of it."""

    name: str
    number: int  # of no other stand-in
    place: int  # among those of its name that one layer was built with, in the order of first calls
    built: dict[str, object]  # constructor arguments, by the student's names or the statement's


@cache
def module(text: str) -> dict[str, Any]:
    """What the text of a module defines."""
    names = {"__name__": "stand_ins"}
    exec(compile(text, "<stand-ins>", "exec"), names)
    return names


def function(text: str, name: str, given: dict[str, object]) -> Callable[..., torch.Tensor]:
    """A function of such a module, which takes a `Part` and what the part was handed."""
    return partial(module(text)[name], **given)


@dataclass
class StandInCalls:
    """The calls of stand-ins while one question was answered: the part, and the arguments where a grader
    asked for these.
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
        """What the function returns or, with `upstream`, the gradients of what it was handed.

        Raises `Unanswerable` for what no part can work with, and where this never ends.
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
        """What the stand-in was handed, as it is now."""
        self.numbers += sum(numbers(one.shape) for one in handed if isinstance(one, torch.Tensor))
        if self.numbers > MAX_IN_A_QUESTION:
            raise ValueError("parts are handed more than any question asks for")
        return [one.detach().clone() if isinstance(one, torch.Tensor) else one for one in handed]


def computed(compute: Callable, handed: list, upstream: Any) -> Any:
    """What `compute` returns or, with `upstream`, the gradients of what it was handed."""
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
    """Return how many numbers a part is handed, which it computes with together.

    Raises `TypeError` for what is no number, `ValueError` for too many. Each size is bounded by itself, and counts as
    one where it is zero: a product says nothing about its factors.
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
