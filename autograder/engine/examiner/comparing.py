"""Compare an answer with what was expected, within the one tolerance of all graders."""

import math

import torch

TOLERANCE = 3e-4  # relative and absolute; `make matrix` says how far from it answers are


def normalised_error(answer: object, expected: torch.Tensor) -> float:
    """Return the largest error of an answer, in units of the tolerance: up to 1, it agrees.

    It is infinite for another shape or dtype, for NaN or infinity, and where `expected` is zero:
    there, a layer that returns zeros would pass; use `size`. Integers have to be equal.
    """
    if expected.is_floating_point() and not expected.abs().mean() > 100 * TOLERANCE:
        return math.inf
    return distance(answer, expected)


def distance(answer: object, other: torch.Tensor) -> float:
    """Return the largest difference of two tensors, of which the second may be zero, in units of
    the tolerance.

    It is infinite for another shape or dtype, NaN and infinity.
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
    """Return the largest absolute value, in units of the tolerance: up to 1, it is practically
    zero.

    It is infinite for anything but finite floating-point numbers.
    """
    if not isinstance(answer, torch.Tensor) or not answer.is_floating_point():
        return math.inf
    if not bool(torch.isfinite(answer).all()):
        return math.inf
    return answer.abs().max().item() / TOLERANCE if answer.numel() else math.inf
