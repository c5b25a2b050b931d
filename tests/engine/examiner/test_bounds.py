"""What stand-ins are handed is bounded, each size by itself, before anything is computed with it."""

from types import SimpleNamespace

import pytest
import torch

from autograder.engine.candidate.faults import Unanswerable
from autograder.engine.candidate.frames import ChannelError
from autograder.engine.candidate.known import (
    MAX_IN_A_QUESTION,
    Part,
    StandInCalls,
    check_handed,
)
from autograder.engine.examiner import Candidate
from autograder.engine.examiner.bounds import MAX_ARGUMENTS, MAX_TEXT, check_built

N = 30_000
HIDING = [(0, 2, N, 6), (1, 1, N, 0), (0, 1 << 40, 1), (N, 0), (1, 0, N), (0, 1000, 1000, 1)]
LARGE = [(2, 1, 1000, 1), (1, 2000, 1), (96, 96, 96), (200, 2, 800, 2)]


@pytest.mark.parametrize("shape", [*HIDING, *LARGE])
def test_a_shape_that_no_question_asks_for_is_refused(shape):
    with pytest.raises(ValueError, match="any"):
        check_handed([torch.empty(shape)] if 0 in shape else [torch.zeros(()).expand(shape)])


def test_shapes_are_taken_as_wide_as_they_make_each_other():
    tall, wide = torch.zeros(1, 1, 500, 1), torch.zeros(300, 1, 1, 2)
    assert check_handed([tall]) == 500 and check_handed([wide]) == 600
    with pytest.raises(ValueError, match="any"):
        check_handed([tall, wide])


def test_what_checks_ask_for_has_room():
    """The longest sentences that a grader asks with: 128 tokens, three of them at once."""
    x = torch.zeros(3, 128, 66)
    assert check_handed([x, x, x, torch.ones(3, 128)]) == 3 * x.numel() + 3 * 128


def test_the_narrowest_model_that_is_drawn_is_asked_with_the_most_sentences(assignment):
    """A check of dropout needs 25,000 numbers, however few of them a token has."""
    draw_sizes = assignment.module("reference").draw_sizes
    for d_model in {draw_sizes().d_model for _ in range(300)}:
        batch = 1 + 25_000 // (128 * d_model)
        check_handed([torch.zeros(batch, 128, d_model), torch.ones(batch, 128)])


def test_a_part_has_few_constructor_arguments_and_short_ones():
    check_built({"d_model": 12, "name": "x" * MAX_TEXT})
    for built in (
        {str(number): number for number in range(MAX_ARGUMENTS + 1)},
        {"name": "x" * (MAX_TEXT + 1)},
        {"x" * (MAX_TEXT + 1): 1},
    ):
        with pytest.raises(ValueError, match="any"):
            check_built(built)


@pytest.fixture
def asked(assignment):
    """A candidate at arm's length that is told what a stand-in for `Attention` was handed."""
    backend = SimpleNamespace(begin=lambda: None, prepare=lambda *_: None)
    candidate = Candidate(backend, assignment.aliases, assignment.signature)
    return candidate.for_check(double=False, own_parts=False)


def call(tensor: torch.Tensor) -> tuple:
    return ("Attention", 1, 0, {}), [tensor] * 3


def test_a_check_hands_over_so_much_in_sum(asked):
    """Graders keep what stand-ins were handed: 32 MiB of it, and no gibibytes."""
    shape = 2, 100, 200
    for _ in range(17):
        asked._hear([call(torch.zeros(shape))])
    with pytest.raises(ChannelError):
        asked._hear([call(torch.zeros(shape))])
    asked = asked.for_check(double=False, own_parts=False)
    asked._hear([call(torch.zeros(shape))])
    assert len(asked.calls["Attention"]) == 1


def test_a_question_hands_over_so_much_in_sum():
    handed, part = StandInCalls(), Part("Attention", 1, 0, {})
    x = torch.zeros(2, 100, 200)
    for _ in range(MAX_IN_A_QUESTION // x.numel()):
        handed.compute(lambda part, x: x, part, [x], None, keeps=True)
    with pytest.raises(Unanswerable):
        handed.compute(lambda part, x: x, part, [x], None, keeps=True)
    assert handed.compute(lambda part, x: x, part, [x[:1]], x[:1]) is not None  # gradients
