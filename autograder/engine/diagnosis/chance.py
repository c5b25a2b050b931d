"""Whether an answer may have been drawn like others, which differ by chance alone.

A mutant with dropout answers [0, 2.2, 0, 1.1], [2.0, 0, 0, 1.1], ... from one seed to the next. A student's
[0, 2.2, 2.4, 0] has as many zeros and lies as far from the mean of those draws as they do from each other:
drawn alike. [0, 1.1, 1.2, 0] does not: what is kept was not scaled.
"""

import math
from collections.abc import Sequence

import torch

from autograder.engine.examiner.comparing import TOLERANCE
from autograder.engine.examiner.recording import Measured, TensorSample

DRAWS = 6  # of a mutant, beside the first
LEAST = 4  # draws that say how far apart draws are
LIMIT = 5.0  # standard deviations: how far a draw may be from others, on average over the answers
FARTHEST = 20.0  # that one answer counts
SHARES = "equal to others", "no numbers", "repeated"
FLOOR = 0.02  # of a statistic itself: a few draws may all have the same


def comparable(one: object, other: object) -> bool:
    """Whether two answers could be drawn alike at all: they have the same form."""
    match one, other:
        case TensorSample(), TensorSample():
            return one.shape == other.shape and one.values.dtype == other.values.dtype
        case Measured(), Measured():
            return True
        case [*_], [*_]:
            return len(one) == len(other) and all(map(comparable, one, other))
    return one == other


def drawn_alike(draws: Sequence[Sequence[object]], answers: Sequence[object]) -> bool:
    """Whether some answers may have been drawn like each of these draws of them.

    Several statistics of an answer are compared with those of each draw among the others. Each has
    its average over all answers: chance alone makes some of them large, and not many.
    """
    apart: dict[str, list[float]] = {}
    for place, answer in enumerate(answers):
        same_form = [draw[place] for draw in draws if comparable(draw[place], answer)]
        if len(same_form) < LEAST:
            return False
        parts = [parts_of(one) for one in same_form]
        for others, part in zip(zip(*parts, strict=True), parts_of(answer), strict=True):
            for statistic, far in _deviations(others, part).items():
                apart.setdefault(statistic, []).append(min(far, FARTHEST))
    return all(sum(far) / len(far) < LIMIT for far in apart.values())


def parts_of(answer: object) -> list[object]:
    """The samples and numbers that an answer is made of."""
    match answer:
        case list() | tuple():
            return [part for one in answer for part in parts_of(one)]
        case TensorSample() | Measured():
            return [answer]
    return []


def _deviations(draws: Sequence[object], answer: object) -> dict[str, float]:
    """By statistic: how many standard deviations of the draws an answer is from them."""
    if isinstance(answer, Measured):
        return {"measured": _far_from([one.value for one in draws], answer.value, answer.within)}  # type: ignore[attr-defined]
    values = torch.stack([one.values.double() for one in (*draws, answer)])  # type: ignore[attr-defined]
    if not values.numel():
        return {}
    coincidence = 1 / (values.size(1) * len(draws))  # in a share: one number of one draw
    return {
        name: _far_from(some[:-1], some[-1], coincidence if name in SHARES else 0.0)
        for name, some in _statistics(values).items()
    }


def _statistics(values: torch.Tensor) -> dict[str, list[float]]:
    """Statistics of each row among the other rows, but for the last one: it is what is compared."""
    count = len(values) - 1
    finite = values.isfinite()
    roots = torch.where(finite, values.sign() * values.abs().sqrt(), 0)  # outliers weigh less
    total = roots[:count].sum(0)
    others = [(total - roots[i]) / (count - 1) for i in range(count)]
    means = torch.stack([*others, roots[: count - 1].mean(0)])
    power = (means * means).sum(-1).clamp(min=1e-30)
    equal = torch.isclose(
        values[:, None], values[None, :count], rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True
    )
    shares = equal.double().mean(-1)  # (row, draw)
    alone = (shares.sum(-1) - torch.tensor([1.0] * count + [0.0])) / (
        torch.tensor([count - 1.0] * count + [count])
    )
    return {
        "along the mean": ((roots * means).sum(-1) / power).tolist(),
        "from the mean": (roots - means).abs().mean(-1).tolist(),
        "equal to others": alone.tolist(),
        "no numbers": (~finite).double().mean(-1).tolist(),
        "repeated": [1 - len(row.unique()) / len(row) for row in values],  # zeros, all alike
    }


def _far_from(draws: Sequence[float], value: float, least: float = 0.0) -> float:
    """How many standard deviations a number is from these; `least` is the smallest deviation."""
    if not all(map(math.isfinite, (*draws, value))):
        return 0.0 if str(value) in map(str, draws) else FARTHEST
    mean = sum(draws) / len(draws)
    deviation = math.sqrt(sum((one - mean) ** 2 for one in draws) / (len(draws) - 1))
    return abs(value - mean) / (deviation + max(least, FLOOR * abs(mean), 1e-9))
