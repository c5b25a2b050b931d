"""Decide whether random answers may come from a mutant's distribution (with dropout, say).

A mutant with dropout answers [0, 2.2, 0, 1.1] with one seed, [2.0, 0, 0, 1.1] with another. A
student's answer [0, 2.2, 2.4, 0] may come from the same distribution: it has as many zeros, and is
as far from the mean of the mutant's answers as these are from each other. [0, 1.1, 1.2, 0] does
not: the numbers that dropout kept are not scaled.
"""

import math
from collections.abc import Sequence

import torch

from autograder.engine.examiner.comparing import TOLERANCE
from autograder.engine.examiner.recording import MeasuredNumber, TensorSample

DRAWS = 6  # of a mutant, in addition to the first
LEAST = 4  # draws that are needed to measure how far apart draws are
LIMIT = 5.0  # standard deviations: how far a draw may be from others, on average over the answers
OPEN = 7.5  # from the limit up to here, few draws do not decide: chance may put them close together
MANY_DRAWS, LIMIT_OF_MANY = 24, 3.0  # decide in that range
FARTHEST = 20.0  # upper limit on the distance of a single answer
SHARES = "equal to others", "no numbers", "repeated"
FLOOR = 0.02  # relative to the statistic itself: a few draws may all have the same


def comparable(answer_a: object, answer_b: object) -> bool:
    """Whether two recorded answers have the same form (kind, shape, dtype).

    Only then both may be draws from one distribution.
    """
    match answer_a, answer_b:
        case TensorSample(), TensorSample():
            return (
                answer_a.shape == answer_b.shape and answer_a.values.dtype == answer_b.values.dtype
            )
        case MeasuredNumber(), MeasuredNumber():
            return True
        case [*_], [*_]:
            return len(answer_a) == len(answer_b) and all(map(comparable, answer_a, answer_b))
    return answer_a == answer_b


def is_other_draw(draw_a: object, draw_b: object) -> bool:
    """Whether a mutant's answers with two seeds show that it draws this answer at random.

    Two measured numbers show it if they differ at all. Two draws may be close to each other, and a
    third may not.
    """
    if isinstance(draw_a, MeasuredNumber) and isinstance(draw_b, MeasuredNumber):
        return draw_a.value != draw_b.value
    return draw_a != draw_b


def far_from_draws(draws: Sequence[Sequence[object]], answers: Sequence[object]) -> float:
    """Return how many standard deviations `answers` are away from the `draws`.

    The draws are a mutant's answers to the same questions with other seeds. The result is infinite
    if fewer than LEAST draws have the form of an answer.

    Several statistics of each answer are compared with those of the draws. Each statistic is
    averaged over all answers, because chance alone makes a few of them large, but not many. The
    largest average counts.
    """
    distances: dict[str, list[float]] = {}
    for place, answer in enumerate(answers):
        same_form = [draw[place] for draw in draws if comparable(draw[place], answer)]
        if len(same_form) < LEAST:
            return math.inf
        parts = [parts_of(draw) for draw in same_form]
        for drawn_parts, part in zip(zip(*parts, strict=True), parts_of(answer), strict=True):
            for statistic, distance in _deviations(drawn_parts, part).items():
                distances.setdefault(statistic, []).append(min(distance, FARTHEST))
    return max((sum(distance) / len(distance) for distance in distances.values()), default=0.0)


def parts_of(answer: object) -> list[object]:
    """Return the tensor samples and measured numbers in an answer, which may be nested lists.

    Anything else in it is left out.
    """
    match answer:
        case list() | tuple():
            return [part for element in answer for part in parts_of(element)]
        case TensorSample() | MeasuredNumber():
            return [answer]
    return []


def _deviations(draws: Sequence[object], answer: object) -> dict[str, float]:
    if isinstance(answer, MeasuredNumber):
        return {"measured": _far_from([draw.value for draw in draws], answer.value, answer.within)}  # type: ignore[attr-defined]
    values = torch.stack([draw.values.double() for draw in (*draws, answer)])  # type: ignore[attr-defined]
    if not values.numel():
        return {}
    coincidence = 1 / (values.size(1) * len(draws))  # in a share: one number of one draw
    return {
        name: _far_from(numbers[:-1], numbers[-1], coincidence if name in SHARES else 0.0)
        for name, numbers in _statistics(values).items()
    }


def _statistics(values: torch.Tensor) -> dict[str, list[float]]:
    """Return statistics by name, each with a number for every row of `values`.

    The last row is the answer, the others are draws. Each row is compared with the draws other than
    itself.
    """
    count = len(values) - 1
    finite = values.isfinite()
    roots = torch.where(finite, values.sign() * values.abs().sqrt(), 0)  # outliers weigh less
    total = roots[:count].sum(0)
    means_of_others = [(total - roots[i]) / (count - 1) for i in range(count)]
    means = torch.stack([*means_of_others, roots[: count - 1].mean(0)])
    power = (means * means).sum(-1).clamp(min=1e-30)
    equal = torch.isclose(
        values[:, None], values[None, :count], rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True
    )
    shares = equal.double().mean(-1)  # (row, draw)
    equal_shares = (shares.sum(-1) - torch.tensor([1.0] * count + [0.0])) / (
        torch.tensor([count - 1.0] * count + [count])
    )
    return {
        "along the mean": ((roots * means).sum(-1) / power).tolist(),
        "from the mean": (roots - means).abs().mean(-1).tolist(),
        "equal to others": equal_shares.tolist(),
        "no numbers": (~finite).double().mean(-1).tolist(),
        "repeated": [1 - len(row.unique()) / len(row) for row in values],  # zeros, all alike
    }


def _far_from(draws: Sequence[float], value: float, floor: float = 0.0) -> float:
    """Return the distance of `value` from the mean of `draws`, in standard deviations.

    If a number is NaN or infinite: 0 if `value` is among the draws, else FARTHEST.
    """
    if not all(map(math.isfinite, (*draws, value))):
        return 0.0 if str(value) in map(str, draws) else FARTHEST
    mean = sum(draws) / len(draws)
    deviation = math.sqrt(sum((draw - mean) ** 2 for draw in draws) / (len(draws) - 1))
    # A few draws may all be equal, so the standard deviation alone may be 0.
    return abs(value - mean) / (deviation + max(floor, FLOOR * abs(mean), 1e-9))
