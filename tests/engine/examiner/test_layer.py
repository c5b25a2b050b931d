"""An answer counts if it has its form, and if the call left its arguments as they were."""

import math

import pytest
import torch

from autograder.engine.candidate.channel import ChannelError
from autograder.engine.examiner.layer import read_answers, without_changes

ARGUMENTS = [torch.tensor([1.0, math.nan]), [1, {"x": torch.ones(2)}], (None, "mask")]
SAME = [torch.tensor([1.0, math.nan]), [1, {"x": torch.ones(2)}], (None, "mask")]


def changed(place: int, now: object) -> list:
    return [now if index == place else item for index, item in enumerate(SAME)]


def test_arguments_that_stayed_as_they_were_are_no_fault():
    assert without_changes([("answer", list(SAME))], ARGUMENTS) == "answer"


@pytest.mark.parametrize(
    "after",
    [
        changed(0, torch.tensor([0.0, math.nan])),
        changed(0, torch.tensor([1.0, math.nan], dtype=torch.float64)),
        changed(0, torch.tensor([[1.0, math.nan]])),
        changed(0, None),
        changed(1, [1, {"x": torch.zeros(2)}]),
        changed(1, [1, {"x": torch.ones(2), "y": 1}]),
        changed(1, [1]),
        changed(2, (None, "other")),
    ],
)
def test_arguments_that_were_changed_are_a_fault(after):
    with pytest.raises(AssertionError, match="changes it in place"):
        without_changes([("answer", after)], ARGUMENTS)


@pytest.mark.parametrize("after", [None, torch.ones(3), (), SAME[:2], [*SAME, 1]])
def test_arguments_of_another_form_are_nonsense(after):
    with pytest.raises(ChannelError):
        without_changes([("answer", after)], ARGUMENTS)


@pytest.mark.parametrize(
    ("answers", "echo"),
    [(None, False), ((1,), False), ([], False), ([1, 2], False), ([1], True), ([(1, 2, 3)], True)],
)
def test_each_call_has_one_answer_of_its_form(answers, echo):
    assert read_answers([1], 1, echo=False) == [1]
    assert read_answers([(1, 2)], 1, echo=True) == [(1, 2)]
    with pytest.raises(ChannelError):
        read_answers(answers, 1, echo)
