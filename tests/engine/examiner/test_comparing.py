"""How far an answer is from what was expected, in units of the one tolerance."""

import math

import pytest
import torch

from autograder.engine.examiner.comparing import TOLERANCE, normalised_error, size

FAR = torch.tensor([1.0, 100.0], dtype=torch.float64)


def test_the_tolerance_is_absolute_and_relative():
    for place, allowed in ((0, 2 * TOLERANCE), (1, 101 * TOLERANCE)):
        answer = FAR.clone()
        answer[place] += allowed
        assert normalised_error(answer, FAR) == pytest.approx(1)
        answer[place] += allowed
        assert normalised_error(answer, FAR) == pytest.approx(2)


@pytest.mark.parametrize(
    "answer",
    [
        *(None, 1.0, [1.0, 100.0], FAR.tolist()),
        *(FAR[:1], FAR[None], FAR.float(), FAR.long(), FAR + 0j),
        *(FAR * math.nan, FAR * math.inf, torch.tensor([1.0, math.nan], dtype=torch.float64)),
    ],
)
def test_what_has_another_form_is_infinitely_far(answer):
    assert normalised_error(answer, FAR) == math.inf


def test_everything_is_far_from_zeros():
    zeros = torch.zeros(2)
    assert normalised_error(zeros, zeros) == math.inf
    assert normalised_error(zeros + TOLERANCE, zeros + TOLERANCE) == math.inf


def test_whole_numbers_may_be_zero():
    zeros = torch.zeros(2, dtype=torch.int64)
    assert normalised_error(zeros, zeros) == 0
    assert normalised_error(zeros + 1, zeros) > 1


def test_a_size_is_that_of_the_largest_value():
    assert size(torch.tensor([0.0, -3 * TOLERANCE])) == pytest.approx(3)
    assert size(torch.zeros(2, 3)) == 0


@pytest.mark.parametrize(
    "answer", [None, 0.0, torch.zeros(2).long(), torch.tensor([math.nan]), torch.tensor([math.inf])]
)
def test_what_is_no_finite_number_is_infinitely_large(answer):
    assert size(answer) == math.inf
