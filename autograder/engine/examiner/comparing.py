"""Compare an answer with the expected tensor, within the tolerance of all graders."""

import math

import torch

TOLERANCE = 3e-4  # relative and absolute; `make matrix` reports the answers' margins


def normalised_error(answer: object, expected: torch.Tensor) -> float:
    """Return the largest difference between an answer and `expected`, in units of the tolerance.

    They agree up to 1. The error is infinite if shape or dtype differ, if a value is NaN or
    infinite, or if integers are not equal. It is also infinite if `expected` is practically zero,
    because a layer that returns zeros would pass: use `size` for that.
    """
    if expected.is_floating_point() and not expected.abs().mean() > 100 * TOLERANCE:
        return math.inf
    return distance(answer, expected)


def distance(answer: object, other: torch.Tensor) -> float:
    """Return the largest difference between `answer` and `other`, in units of the tolerance.

    It is infinite if shape or dtype differ, if the answer has NaN or infinity, or if integers are
    not equal. `other` may be zero.
    """
    if not isinstance(answer, torch.Tensor):
        return math.inf
    if answer.shape != other.shape or answer.dtype != other.dtype:
        return math.inf
    if not bool(torch.isfinite(answer).all()):
        return math.inf
    if not other.is_floating_point():
        return 0.0 if torch.equal(answer, other) else math.inf
    allowed = TOLERANCE + TOLERANCE * other.abs()
    far = ((answer - other).abs() / allowed).max().item() if answer.numel() else 0.0
    return math.inf if math.isnan(far) else far


def size(answer: object) -> float:
    """Return the largest absolute value in `answer`, in units of the tolerance.

    The answer is practically zero up to 1. The size is infinite if the answer is not a tensor of
    finite floating-point numbers, or is empty.
    """
    if not isinstance(answer, torch.Tensor) or not answer.is_floating_point():
        return math.inf
    if not bool(torch.isfinite(answer).all()):
        return math.inf
    return answer.abs().max().item() / TOLERANCE if answer.numel() else math.inf
