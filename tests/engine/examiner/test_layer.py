"""An answer counts if it has its form, and if the call left its arguments as they were."""

import math

import pytest
import torch

from autograder.engine.candidate.frames import ChannelError
from autograder.engine.examiner import Candidate, InProcessCandidate
from autograder.engine.examiner.faults import CandidateFault
from autograder.engine.examiner.layer import Layer
from autograder.engine.examiner.reading import read_answers, without_changes

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


class Shown(torch.nn.Module):
    """Says whether its first two arguments are one object; insists on the third if it says so."""

    def __init__(self, pair=False, insists=False):
        super().__init__()
        self.pair, self.insists = pair, insists
        self.scale = torch.nn.Parameter(torch.zeros(()))

    def forward(self, one, other, third=None):
        if self.insists and third is None:
            raise TypeError("third is missing")
        answer = torch.full((2,), float(one is other)) + self.scale
        return (answer, one) if self.pair else answer


@pytest.fixture
def shown():
    def build(**given) -> Layer:
        backend = InProcessCandidate({"Shown": Shown})
        candidate = Candidate(backend, {}, lambda name: None)  # type: ignore[arg-type]
        return candidate.build("Shown", **given)

    return build


def test_one_object_handed_over_twice_is_one_object_there(shown):
    one, other = torch.ones(3), torch.ones(3)
    same, different = shown().each((one, one), (one, other))
    assert same.tolist() == [1, 1] and different.tolist() == [0, 0]


def test_what_is_supplied_is_given_where_the_code_insists(shown):
    layer, call, third = shown(insists=True), (torch.ones(1), torch.zeros(1)), torch.ones(1)
    for ask in (layer, layer.unchanged, layer.alone, layer.strictly, layer.gradients):
        with pytest.raises(CandidateFault):
            ask(*call)
    layer.supply(lambda one, other, *given: None if given else third)
    for ask in (layer, layer.unchanged, layer.alone, layer.strictly):
        assert ask(*call).tolist() == [0, 0]
    assert layer.gradients(*call).parameters["scale"] is not None
    assert [answer.tolist() for answer in layer.each(call, (*call, third))] == [[0, 0]] * 2
    with pytest.raises(CandidateFault):
        layer.supply(None)(*call)


def test_an_answer_has_to_come_alone_where_that_is_asked(shown):
    call = torch.ones(1), torch.zeros(1)
    assert shown(pair=True)(*call).tolist() == shown().alone(*call).tolist() == [0, 0]
    with pytest.raises(AssertionError, match="several things"):
        shown(pair=True).alone(*call)
