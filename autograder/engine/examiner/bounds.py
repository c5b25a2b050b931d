"""Upper bounds on what a candidate sends and the examiner computes with.

Every axis is bounded by itself and counts as one where it is zero: a product says nothing about its
factors. In brackets is the most that the checks of a correct submission need; the bounds are a few
times as much.
"""

from collections.abc import Mapping

import torch

from autograder.engine.candidate.tensors import numbers

MAX_IN_A_CHECK = 1 << 21  # numbers that parts are handed in one try of a check (333 thousand)
MAX_PLAIN = 1 << 16  # numbers of all tensors in a function's answer or a value (2,800)
MAX_ARGUMENTS = 30  # of a constructor
MAX_TEXT = 500  # characters of a name, or of an argument


def check_plain(answer: object) -> None:
    """Raise `ValueError` if a function's answer or a value holds too many numbers.

    Graders make lists of tensors, and an axis of size zero hides how long these are.
    """
    if numbers_of(answer) > MAX_PLAIN:
        raise ValueError("an answer of more numbers than any question asks for")


def numbers_of(answer: object) -> int:
    """Return how many numbers the tensors in an answer hold."""
    match answer:
        case torch.Tensor():
            return numbers(answer.shape)
        case list() | tuple():
            return sum(map(numbers_of, answer))
        case dict():
            return sum(map(numbers_of, answer.values()))
    return 0


def check_built(built: Mapping[str, object]) -> None:
    """Raise `ValueError` if the constructor arguments of a part are too many or too long."""
    texts = [*built, *(value for value in built.values() if isinstance(value, str))]
    if len(built) > MAX_ARGUMENTS or any(len(text) > MAX_TEXT for text in texts):
        raise ValueError("a part is built with more than any question asks for")
