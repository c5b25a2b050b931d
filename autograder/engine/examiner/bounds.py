"""Upper bounds on what a candidate sends and the examiner computes with.

Every axis of a tensor is bounded by itself, and counts as one if its size is zero: the product of
the sizes would then hide how large the others are. The numbers in brackets are the most that the
checks of a correct submission need; the bounds are a few times as much.
"""

from collections.abc import Mapping

import torch

from autograder.engine.candidate.tensors import numbers

MAX_IN_A_CHECK = 1 << 21  # numbers that parts are handed in one try of a check (333 thousand)
MAX_PLAIN = 1 << 16  # numbers of all tensors in a function's answer or a value (2,800)
MAX_ARGUMENTS = 30  # of a constructor
MAX_TEXT = 500  # characters of a name, or of an argument


def check_plain(answer: object) -> None:
    """Raise `ValueError` if the tensors in `answer`, a function's answer or a value, hold more than
    MAX_PLAIN numbers.

    Graders convert these tensors to lists, whose length an axis of size zero would hide.
    """
    if numbers_of(answer) > MAX_PLAIN:
        raise ValueError("an answer of more numbers than any question asks for")


def numbers_of(answer: object) -> int:
    """Return how many numbers all tensors in an answer hold together; the answer may be nested
    lists, tuples and dicts.
    """
    match answer:
        case torch.Tensor():
            return numbers(answer.shape)
        case list() | tuple():
            return sum(map(numbers_of, answer))
        case dict():
            return sum(map(numbers_of, answer.values()))
    return 0


def check_built(built: Mapping[str, object]) -> None:
    """Raise `ValueError` if `built`, the constructor arguments of a part by name, has too many
    entries or too long texts.
    """
    texts = [*built, *(value for value in built.values() if isinstance(value, str))]
    if len(built) > MAX_ARGUMENTS or any(len(text) > MAX_TEXT for text in texts):
        raise ValueError("a part is built with more than any question asks for")
