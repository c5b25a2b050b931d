"""When an answer agrees with what was expected. The one tolerance of all graders is here."""

import torch

TOLERANCE = 1e-4  # relative and absolute; legitimate answers differ by 1e-5 at most (epsilons)


class GraderError(Exception):
    """A grader asked a question that cannot tell right from wrong: our fault, never a student's."""


def agrees(answer: torch.Tensor, expected: torch.Tensor) -> bool:
    """Whether shape, dtype and values are the expected ones.

    NaN and infinity never are, and nothing agrees with zeros: a layer that answers nothing would
    otherwise keep every law. `disappears` is the question for those.
    """
    if expected.is_floating_point() and not expected.abs().mean() > 100 * TOLERANCE:
        return False
    return (
        answer.shape == expected.shape
        and answer.dtype == expected.dtype
        and bool(torch.isfinite(answer).all())
        and torch.allclose(answer, expected, rtol=TOLERANCE, atol=TOLERANCE)
    )


def disappears(answer: torch.Tensor) -> bool:
    """Whether every value is a number and practically zero."""
    return (
        answer.is_floating_point()
        and bool(torch.isfinite(answer).all())
        and bool((answer.abs() < TOLERANCE).all())
    )
