"""When an answer agrees with what was expected. The one tolerance of all graders is here."""

import math

import torch

TOLERANCE = 3e-4  # relative and absolute; `make matrix` says how far from it answers are


def normalised_error(answer: object, expected: torch.Tensor) -> float:
    """How far an answer is from what was expected, in units of the tolerance: at most 1 agrees.

    Infinite for another shape or dtype, NaN, infinity, and where `expected` is zero: a layer that
    returns zeros would pass every comparison. Use `size` for those. Integers agree exactly or not.
    """
    if expected.is_floating_point() and not expected.abs().mean() > 100 * TOLERANCE:
        return math.inf
    return distance(answer, expected)


def distance(answer: object, other: torch.Tensor) -> float:
    """How far an answer is from another one, which may be zero, in units of the tolerance.

    Infinite for another shape or dtype, NaN and infinity.
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
    """How large the largest value is, in units of the tolerance: at most 1 is practically zero."""
    if not isinstance(answer, torch.Tensor) or not answer.is_floating_point():
        return math.inf
    if not bool(torch.isfinite(answer).all()):
        return math.inf
    return answer.abs().max().item() / TOLERANCE if answer.numel() else math.inf
