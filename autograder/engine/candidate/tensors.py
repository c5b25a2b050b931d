"""Helpers for tensors, for both the candidate and the examiner."""

import math
from collections.abc import Iterable

import torch


def floats(item: object) -> bool:
    """Whether `item` is a tensor of floating-point numbers."""
    return isinstance(item, torch.Tensor) and item.is_floating_point()


def with_gradient(item: object) -> object:
    """Have `item` require gradient if it is a floating-point tensor, and return it."""
    return item.requires_grad_() if floats(item) else item  # type: ignore[attr-defined]


def first(answer):
    """Return the first item of a non-empty tuple or list, and anything else unchanged."""
    return answer[0] if isinstance(answer, tuple | list) and answer else answer


def numbers(shape: Iterable[int]) -> int:
    """Return how many numbers a tensor of this shape has, with size 1 for axes of size zero."""
    return math.prod(max(size, 1) for size in shape)
