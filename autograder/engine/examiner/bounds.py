"""Upper bounds on a candidate's messages that the examiner computes with.

Every axis of a tensor has its own bound, and an axis of size zero counts as size one, because a
product with zero would hide the size of the others. The numbers in brackets are the most that the
checks of a correct submission need. The bounds are a few times as high.
"""

from collections.abc import Mapping

import torch

from autograder.engine.candidate.tensors import numbers

MAX_IN_A_CHECK = 1 << 21  # numbers in the arguments of parts in one attempt (333 thousand)
MAX_PLAIN = 1 << 16  # numbers of all tensors in a function's answer or a value (2,800)
MAX_ARGUMENTS = 30  # of a constructor
MAX_TEXT = 500  # characters of a name, or of an argument


def check_plain(answer: object) -> None:
    """Raise `ValueError` if the tensors in an answer hold more than MAX_PLAIN numbers.

    Graders convert these tensors to lists, whose length an axis of size zero would hide.
    """
    if numbers_of(answer) > MAX_PLAIN:
        raise ValueError("an answer of more numbers than any question asks for")


def numbers_of(answer: object) -> int:
    """Count the numbers in all tensors of an answer, in nested lists, tuples and dicts."""
    match answer:
        case torch.Tensor():
            return numbers(answer.shape)
        case list() | tuple():
            return sum(map(numbers_of, answer))
        case dict():
            return sum(map(numbers_of, answer.values()))
    return 0


def check_built(built: Mapping[str, object]) -> None:
    """Raise `ValueError` if a part's constructor has too many arguments or too long texts."""
    texts = [*built, *(value for value in built.values() if isinstance(value, str))]
    if len(built) > MAX_ARGUMENTS or any(len(text) > MAX_TEXT for text in texts):
        raise ValueError("a part is built with more than any question asks for")
