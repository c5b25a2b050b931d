"""Recognise answers that are the right ones in another order: all orders are too many to list.

right   [[1, 2], [3, 4], [5, 6]]
answer  [[3, 4], [1, 2], [5, 6]]     permuted along the axis -2
answer  [[3, 4], [1, 2], [5, 7]]     not permuted: no row of the right ones is [5, 7]
"""

from collections.abc import Iterator, Sequence

import torch

from autograder.engine.examiner.comparing import TOLERANCE
from autograder.engine.examiner.recording import TensorSample
from autograder.mistakes.chance import comparable, parts_of

PERMUTED = "answer_is_permuted"  # the operator's id


def are_permuted(answers: Sequence[object], right: Sequence[object]) -> bool:
    """Whether all tensors in `answers` that differ from those in `right`, the solution's answers,
    are permutations of them along one common axis.

    False if nothing differs, or if only a sample of such a tensor was recorded.
    """
    if len(answers) > len(right) or not all(map(comparable, answers, right)):
        return False
    axes = [_axes(mine, theirs) for mine, theirs in _departing(answers, right)]
    return bool(axes) and bool(set.intersection(*axes))


def _departing(
    answers: Sequence[object], right: Sequence[object]
) -> Iterator[tuple[TensorSample, TensorSample]]:
    for mine, theirs in zip(map(parts_of, answers), map(parts_of, right), strict=False):
        for one, other in zip(mine, theirs, strict=False):
            if isinstance(one, TensorSample) and isinstance(other, TensorSample) and one != other:
                yield one, other


def _axes(answer: TensorSample, right: TensorSample) -> set[int]:
    """Return the axes, as negative numbers (-1 is the last), along which `answer` has the slices of
    `right`, equal within the tolerance, in some order. The result is empty if the sample does not
    have all numbers of the answer.

    Both samples must have the same shape.
    """
    if answer.values.numel() != torch.Size(answer.shape).numel():
        return set()
    one, other = (sample.values.double().view(answer.shape) for sample in (answer, right))
    return {
        axis
        for axis in range(-one.dim(), 0)
        if _in_another_order(one.movedim(axis, 0), other.movedim(axis, 0))
    }


def _in_another_order(rows: torch.Tensor, others: torch.Tensor) -> bool:
    """Whether `rows`, (n, ...), are a permutation of `others`: each row equals exactly one of the
    others, within the tolerance.
    """
    close = torch.isclose(rows[:, None], others[None], rtol=TOLERANCE, atol=TOLERANCE)
    same = close.reshape(len(rows), len(rows), -1).all(-1)
    return bool((same.sum(0) == 1).all()) and bool((same.sum(1) == 1).all())
