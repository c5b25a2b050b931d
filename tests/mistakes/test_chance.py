"""When two answers could be drawn alike, and when chance may have drawn answers like others."""

import math

import pytest
import torch

from autograder.engine.examiner.recording import MeasuredNumber, TensorSample
from autograder.mistakes.chance import (
    DRAWS,
    LIMIT,
    comparable,
    far_from_draws,
    is_other_draw,
)

ONES = torch.ones(3)


def sample(values: torch.Tensor) -> TensorSample:
    return TensorSample(tuple(values.shape), values.reshape(-1))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (sample(ONES), sample(2 * ONES), True),
        (sample(ONES), sample(ONES[:2]), False),
        (sample(ONES), sample(ONES.double()), False),
        (MeasuredNumber(1.0, 0.1), MeasuredNumber(9.0, 0.1), True),
        (MeasuredNumber(1.0, 0.1), sample(ONES), False),
        ([sample(ONES), 1], [sample(2 * ONES), 1], True),
        ([sample(ONES), 1], [sample(2 * ONES), 2], False),
        ([sample(ONES)], [sample(ONES), sample(ONES)], False),
        ("text", "text", True),
        ("text", "other", False),
    ],
)
def test_answers_are_comparable_if_they_have_one_form(one, other, same):
    assert comparable(one, other) is same


SIGNAL = torch.randn(400, generator=torch.Generator().manual_seed(99))


def dropped(seed: int, rate: float = 0.3) -> torch.Tensor:
    """The same signal, of which some numbers are dropped, and the rest scaled."""
    kept = torch.rand(400, generator=torch.Generator().manual_seed(seed)) >= rate
    return SIGNAL * kept / (1 - rate)


def noise(seed: int) -> torch.Tensor:
    return torch.randn(400, generator=torch.Generator().manual_seed(seed))


DROPPED = [[sample(dropped(seed))] for seed in range(1 + DRAWS)]


@pytest.mark.parametrize("seed", range(100, 120))
def test_another_draw_is_drawn_alike(seed):
    assert far_from_draws(DROPPED, [sample(dropped(seed))]) < LIMIT


@pytest.mark.parametrize(
    "other",
    [
        noise(50),
        SIGNAL.std() * noise(50),
        torch.zeros(400),
        SIGNAL,
        SIGNAL + 0.5 * noise(50),
        SIGNAL * torch.rand(400, generator=torch.Generator().manual_seed(50)),
        dropped(50, rate=0.7),
        dropped(50).roll(1),
        torch.full((400,), math.nan),
    ],
)
def test_what_is_no_such_draw_is_not_drawn_alike(other):
    assert far_from_draws(DROPPED, [sample(other)]) >= LIMIT


def test_measured_numbers_are_drawn_alike_within_what_chance_does():
    draws = [[MeasuredNumber(1 + number / 10, 0.1)] for number in range(1 + DRAWS)]
    assert far_from_draws(draws, [MeasuredNumber(1.5, 0.1)]) < LIMIT
    assert far_from_draws(draws, [MeasuredNumber(9.0, 0.1)]) >= LIMIT
    assert far_from_draws(draws, [MeasuredNumber(math.nan, 0.1)]) >= LIMIT


def test_two_measured_numbers_are_two_draws_however_close_they_are():
    """Else a third, farther away, would count as measured without chance."""
    assert is_other_draw(MeasuredNumber(1.0, 0.1), MeasuredNumber(1.001, 0.1))
    assert not is_other_draw(MeasuredNumber(1.0, 0.1), MeasuredNumber(1.0, 0.1))
    assert is_other_draw([1, "a"], [1, "b"]) and not is_other_draw([1, "a"], [1, "a"])


def test_draws_of_another_form_say_nothing():
    assert far_from_draws([[sample(ONES)]] * (1 + DRAWS), [sample(SIGNAL)]) >= LIMIT
    assert far_from_draws([[None]] * (1 + DRAWS), [sample(SIGNAL)]) >= LIMIT
