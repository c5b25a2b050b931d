"""An answer is the right one in another order, or it is not."""

import pytest
import torch

from autograder.engine.examiner.recording import plain_sample
from autograder.mistakes.permuting import are_permuted

RIGHT = torch.arange(24.0).view(2, 3, 4)


def sampled(*tensors: torch.Tensor) -> list[object]:
    return [plain_sample(one) for one in tensors]


@pytest.mark.parametrize(
    "answer", [RIGHT.flip(-1), RIGHT.roll(1, 1), RIGHT.flip(0), RIGHT[..., [2, 0, 1, 3]]]
)
def test_an_axis_in_another_order(answer):
    assert are_permuted(sampled(answer), sampled(RIGHT))


@pytest.mark.parametrize(
    "answer",
    [
        RIGHT,
        RIGHT.flip(-1, -2),
        RIGHT + 1,
        RIGHT[..., [0, 0, 1, 2]],
        RIGHT.view(4, 3, 2),
        RIGHT.float().long(),
        torch.full_like(RIGHT, torch.nan),
        torch.tensor(1.0),
    ],
)
def test_no_order(answer):
    assert not are_permuted(sampled(answer), sampled(RIGHT))


def test_all_answers_are_in_another_order_of_one_axis():
    assert not are_permuted(sampled(RIGHT.flip(-1), RIGHT.flip(0)), sampled(RIGHT, RIGHT))
    assert not are_permuted(sampled(RIGHT, RIGHT), sampled(RIGHT))


def test_of_a_tensor_that_is_kept_in_part_nothing_is_said():
    large = torch.arange(3000.0)
    assert not are_permuted(sampled(large.flip(0)), sampled(large))
