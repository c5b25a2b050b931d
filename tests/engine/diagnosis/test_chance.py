"""When two answers could be drawn alike, and when chance may have drawn answers like others."""

import math

import pytest
import torch

from autograder.engine.diagnosis.chance import DRAWS, comparable, drawn_alike
from autograder.engine.examiner.recording import MeasuredNumber, TensorSample

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
    assert drawn_alike(DROPPED, [sample(dropped(seed))])


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
    assert not drawn_alike(DROPPED, [sample(other)])


def test_measured_numbers_are_drawn_alike_within_what_chance_does():
    draws = [[MeasuredNumber(1 + number / 10, 0.1)] for number in range(1 + DRAWS)]
    assert drawn_alike(draws, [MeasuredNumber(1.5, 0.1)])
    assert not drawn_alike(draws, [MeasuredNumber(9.0, 0.1)])
    assert not drawn_alike(draws, [MeasuredNumber(math.nan, 0.1)])


def test_draws_of_another_form_say_nothing():
    assert not drawn_alike([[sample(ONES)]] * (1 + DRAWS), [sample(SIGNAL)])
    assert not drawn_alike([[None]] * (1 + DRAWS), [sample(SIGNAL)])
