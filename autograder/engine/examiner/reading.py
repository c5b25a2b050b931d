"""Parse the answers of a student's layer or function, which may have any form."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from autograder.engine.candidate.tensors import floats
from autograder.engine.examiner.descriptions import parsing_untrusted


@dataclass(frozen=True)
class Gradients:
    """The gradients of floating-point arguments in order, and of parameters by name.

    An argument or parameter without a gradient has None.
    """

    arguments: list[torch.Tensor | None]
    parameters: dict[str, torch.Tensor | None]

    def arrive(self) -> bool:
        """Whether there are gradients, and none of them is missing or zero everywhere."""
        arrived = [*self.arguments, *self.parameters.values()]
        return bool(arrived) and all(g is not None and bool((g != 0).any()) for g in arrived)


def read_gradients(args: Sequence[object], answer: Any) -> Gradients:
    """Parse the gradients in `answer`, and keep those of floating-point arguments and parameters.

    `args`: the arguments of the call. Raise `ChannelError` for another form.
    """
    with parsing_untrusted():
        arguments, parameters = answer["arguments"], answer["parameters"]
        if not isinstance(arguments, list) or not isinstance(parameters, dict):
            raise TypeError("gradients come as a list and by name")
        if not all(_is_gradient(item) for item in (*arguments, *parameters.values())):
            raise TypeError("a gradient is a tensor or None")
        floating = [g for g, arg in zip(arguments, args, strict=True) if floats(arg)]
    return Gradients(floating, parameters)


def _same(arg: Any, original: Any) -> bool:
    """Whether an argument after a call equals the original, with NaN equal to NaN."""
    match original:
        case torch.Tensor():
            return (
                isinstance(arg, torch.Tensor)
                and (arg.dtype, arg.shape) == (original.dtype, original.shape)
                and torch.equal(arg.nan_to_num(), original.nan_to_num())
            )
        case list() | tuple():
            alike = isinstance(arg, list | tuple) and len(arg) == len(original)
            return alike and all(map(_same, arg, original))
        case dict():
            alike = isinstance(arg, dict) and arg.keys() == original.keys()
            return alike and all(_same(arg[key], original[key]) for key in original)
    return arg == original


def _is_gradient(item: object) -> bool:
    return item is None or isinstance(item, torch.Tensor)


def read_answers(answers: object, count: int, echo: bool) -> list:
    """Return the answers to `count` calls, with `echo` as pairs (answer, arguments afterwards).

    Raise `ChannelError` for another form.
    """
    with parsing_untrusted():
        pairs = answers if echo else []
        if not isinstance(answers, list) or len(answers) != count:
            raise ValueError("an answer for each call")
        if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):  # type: ignore[attr-defined]
            raise ValueError("an answer with its arguments")
        return answers


def without_changes(answers: list, args: Sequence[object]) -> object:
    """Return the answer of a single call. Raise `AssertionError` if the call changed its arguments.

    `answers`: one pair (answer, arguments after the call). `args`: the arguments before it.
    """
    ((answer, after),) = answers
    with parsing_untrusted():
        if not isinstance(after, list):
            raise TypeError("arguments come as a list")
        same = all(_same(arg, original) for arg, original in zip(after, args, strict=True))
    if not same:
        raise AssertionError("After the call the input is another. Which line changes it in place?")
    return answer
