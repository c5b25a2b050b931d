"""Questions about tensors that the candidate asks, and the examiner as well."""

import math
from collections.abc import Iterable

import torch


def floats(item: object) -> bool:
    """Whether it is a tensor of floating-point numbers."""
    return isinstance(item, torch.Tensor) and item.is_floating_point()


def with_gradient(item: object) -> object:
    """Return the item; if it is a floating tensor, its gradient is wanted from now on."""
    return item.requires_grad_() if floats(item) else item  # type: ignore[attr-defined]


def first(answer):
    """Return the answer of a `forward`, or the first of several."""
    return answer[0] if isinstance(answer, tuple | list) else answer


def numbers(shape: Iterable[int]) -> int:
    """Return how many numbers a tensor of this shape has, with axes of size zero counted as one."""
    return math.prod(max(size, 1) for size in shape)
