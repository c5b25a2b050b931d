"""Bounds of what a candidate hands over and has the examiner compute with.

Each size is bounded by itself, and counts as one where it is zero: a product says nothing about its
factors. What the checks of a right submission need was measured (in brackets); these are some times
as much.
"""

import itertools
import math
from collections.abc import Mapping, Sequence

import torch

from autograder.engine.candidate.tensors import numbers

MAX_AXIS = 1 << 10  # sizes of an axis (128)
MAX_NUMBERS = 1 << 19  # of all that a part is handed, as wide as they make each other (279,000)
MAX_SCORES = 1 << 20  # that attention makes of that: rows times the longest axis (279,000)
MAX_IN_A_CHECK = 1 << 21  # numbers that parts are handed in one try of a check (333 thousand)
MAX_PLAIN = 1 << 16  # numbers of all tensors in a function's answer or a value (2,800)
MAX_ARGUMENTS = 30  # of a constructor
MAX_TEXT = 500  # characters of a name, or of an argument


class TooLarge(ValueError):
    """More than any question asks for."""


def check_handed(tensors: Sequence[torch.Tensor]) -> int:
    """Return how many numbers these are, which a part computes with together. Raises `TooLarge`."""
    axes = itertools.zip_longest(*(reversed(tensor.shape) for tensor in tensors), fillvalue=1)
    together = [max(1, *sizes) for sizes in axes]  # as wide as they make each other
    longest, rows = max(together, default=1), math.prod(together[1:])
    if longest > MAX_AXIS or math.prod(together) > MAX_NUMBERS or rows * longest > MAX_SCORES:
        raise TooLarge("a part is handed more than any question asks for")
    return sum(numbers(tensor.shape) for tensor in tensors)


def check_plain(answer: object) -> None:
    """Raise `TooLarge` for the answer of a function, or a value, that no grader should go through:
    they make lists of tensors, and an axis of size zero hides how long these are.
    """
    if numbers_of(answer) > MAX_PLAIN:
        raise TooLarge("an answer of more numbers than any question asks for")


def numbers_of(answer: object) -> int:
    """How many numbers the tensors in an answer have."""
    match answer:
        case torch.Tensor():
            return numbers(answer.shape)
        case list() | tuple():
            return sum(map(numbers_of, answer))
        case dict():
            return sum(map(numbers_of, answer.values()))
    return 0


def check_built(built: Mapping[str, object]) -> None:
    """Raise `TooLarge` for constructor arguments that no part has."""
    texts = [*built, *(value for value in built.values() if isinstance(value, str))]
    if len(built) > MAX_ARGUMENTS or any(len(text) > MAX_TEXT for text in texts):
        raise TooLarge("a part is built with more than any question asks for")
