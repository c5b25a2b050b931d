"""Parse the answers of a student's layer or function; they may have any form."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from autograder.engine.candidate.tensors import floats
from autograder.engine.examiner.descriptions import parsing_untrusted


@dataclass(frozen=True)
class Gradients:
    """The gradients of floating-point arguments in order, and of parameters by name; None if an
    argument or parameter got none.
    """

    arguments: list[torch.Tensor | None]
    parameters: dict[str, torch.Tensor | None]

    def arrive(self) -> bool:
        """Whether there are gradients at all, and each of them is there and not zero everywhere."""
        arrived = [*self.arguments, *self.parameters.values()]
        return bool(arrived) and all(g is not None and bool((g != 0).any()) for g in arrived)


def read_gradients(args: Sequence[object], answer: Any) -> Gradients:
    """Parse the gradients in `answer`, and keep those of floating-point arguments and of all
    parameters. Raise `ChannelError` if they have another form.

    `args`: the arguments of the call.
    """
    with parsing_untrusted():
        arguments, parameters = answer["arguments"], answer["parameters"]
        if not isinstance(arguments, list) or not isinstance(parameters, dict):
            raise TypeError("gradients come as a list and by name")
        if not all(_is_gradient(item) for item in (*arguments, *parameters.values())):
            raise TypeError("a gradient is a tensor or None")
        floating = [g for g, arg in zip(arguments, args, strict=True) if floats(arg)]
    return Gradients(floating, parameters)


def _same(now: Any, before: Any) -> bool:
    """Whether `now`, an argument after a call, equals `before`, the same argument before it; NaN
    equals NaN.
    """
    match before:
        case torch.Tensor():
            return (
                isinstance(now, torch.Tensor)
                and (now.dtype, now.shape) == (before.dtype, before.shape)
                and torch.equal(now.nan_to_num(), before.nan_to_num())
            )
        case list() | tuple():
            alike = isinstance(now, list | tuple) and len(now) == len(before)
            return alike and all(map(_same, now, before))
        case dict():
            alike = isinstance(now, dict) and now.keys() == before.keys()
            return alike and all(_same(now[key], before[key]) for key in before)
    return now == before


def _is_gradient(item: object) -> bool:
    return item is None or isinstance(item, torch.Tensor)


def read_answers(answers: object, count: int, echo: bool) -> list:
    """Return the answers to `count` calls; with `echo`, each is a pair (answer, arguments after the
    call).

    Raise `ChannelError` if they have another form.
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

    `answers`: one pair (answer, arguments after the call); `args`: the arguments before it.
    """
    ((answer, after),) = answers
    with parsing_untrusted():
        if not isinstance(after, list):
            raise TypeError("arguments come as a list")
        same = all(_same(now, before) for now, before in zip(after, args, strict=True))
    if not same:
        raise AssertionError("After the call the input is another. Which line changes it in place?")
    return answer
