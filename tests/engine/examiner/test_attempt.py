"""What graders compare with: the values of their fixtures, and what is recorded meanwhile."""

import math

import pytest
import torch

from autograder.engine.examiner import Candidate, InProcessCandidate, run_cells, undisturbed
from autograder.engine.examiner.attempt import Attempt
from autograder.engine.examiner.comparing import TOLERANCE
from autograder.engine.examiner.faults import CandidateLost
from autograder.engine.examiner.recording import (
    MAX_RECORDED,
    MeasuredNumber,
    OmittedAnswer,
    numbers_in,
)

ONES, FAR = torch.ones(3), torch.tensor([1.0, 100.0], dtype=torch.float64)


@pytest.fixture
def attempt(small):
    """An attempt in float32 at the solution of the small assignment."""
    cells = small.solved_cells().items()
    codes = [compile(source, name, "exec") for name, source in cells]
    candidate = Candidate(InProcessCandidate(run_cells(codes)), small.aliases, small.signature)
    with undisturbed():
        yield Attempt(candidate, double=False, own_parts=False)


def disagrees():
    raise AssertionError("Which axis?")


@pytest.mark.parametrize(
    ("answer", "expected", "agree"),
    [
        (ONES, ONES, True),
        (ONES * (1 + TOLERANCE), ONES, True),
        (ONES * (1 + 3 * TOLERANCE), ONES, False),
        (ONES[:2], ONES, False),
        (ONES[None], ONES, False),
        (ONES.double(), ONES, False),
        (ONES * math.nan, ONES, False),
        (ONES * math.inf, ONES * math.inf, False),
        ([1.0, 1.0, 1.0], ONES, False),
        (0 * ONES, 0 * ONES, False),  # a layer that answers nothing keeps no law
        (None, ONES, False),
        (ONES + 0j, ONES, False),
        (FAR + torch.tensor([1.9, 0]) * TOLERANCE, FAR, True),  # absolute, and relative
        (FAR + torch.tensor([2.1, 0]) * TOLERANCE, FAR, False),
        (FAR + torch.tensor([0, 99]) * TOLERANCE, FAR, True),
        (FAR + torch.tensor([0, 103]) * TOLERANCE, FAR, False),
        (ONES.long(), ONES.long(), True),
        (0 * ONES.long(), 0 * ONES.long(), True),  # whole numbers may be zero
        (ONES.long(), 0 * ONES.long(), False),
    ],
)
def test_tensors_agree_within_the_tolerance(attempt, answer, expected, agree):
    assert attempt.tensors_agree(answer, expected) is agree
    (error,) = attempt.normalised_errors
    assert (error <= 1) is agree and not math.isnan(error)


def test_two_small_tensors_differ_only_where_their_numbers_do(attempt):
    """What agrees with nothing, since it is nearly zero, differs not from itself."""
    nearly = torch.zeros(2, 24)
    nearly[:, 3] = 0.01
    assert not attempt.tensors_agree(nearly, nearly)
    assert not attempt.tensors_differ(nearly, nearly)
    assert not attempt.tensors_differ(torch.zeros(2), torch.zeros(2))
    assert attempt.tensors_differ(nearly + 1, nearly) and attempt.tensors_differ(nearly, 0 * nearly)


@pytest.mark.parametrize(
    ("answer", "zero"),
    [
        (0 * ONES, True),
        (ONES * TOLERANCE / 2, True),
        (ONES * TOLERANCE * 2, False),
        (ONES * math.nan, False),
        (ONES * math.inf, False),
        (None, False),
        (torch.zeros(3, dtype=torch.int64), False),
        (0.0, False),
    ],
)
def test_a_tensor_is_zero_within_the_tolerance(attempt, answer, zero):
    assert attempt.tensor_is_zero(answer) is zero
    assert not math.isnan(attempt.normalised_errors[0])


def test_a_number_that_chance_has_a_part_in_is_recorded_with_its_slack(attempt):
    close = []

    def check():
        for number in (0.45, 0.7, math.nan):
            close.append(attempt.number_is_close(number, 0.5, within=0.1))

    attempt.run(check)
    assert close == [True, False, False]
    assert attempt.recording.answers[:2] == [MeasuredNumber(0.45, 0.1), MeasuredNumber(0.7, 0.1)]
    assert attempt.normalised_errors[:2] == pytest.approx([0.5, 2.0])


@pytest.mark.parametrize("measured", [None, "text", [0.5], torch.ones(2), 10**400, 1j])
def test_what_is_no_number_is_close_to_none(attempt, measured):
    attempt.run(lambda: attempt.noted(attempt.number_is_close(measured, 0.5, within=0.1)))
    assert attempt.recording.answers == [MeasuredNumber(math.nan, 0.1), False]
    assert attempt.normalised_errors == [math.inf]


def test_answers_and_the_end_of_a_check_are_recorded(attempt):
    with pytest.raises(AssertionError):
        attempt.run(lambda: attempt.candidate.function("softmax")(ONES) is None or disagrees())
    recording = attempt.recording
    ((sample,),) = recording.answers
    assert torch.allclose(sample.values, ONES / 3)
    assert recording.outcome == ("wrong", "Which axis?")
    assert (recording.double, recording.own_parts) == (False, False)


def test_where_there_is_no_answer_another_check_asks_for_it(attempt):
    found = []

    def check():
        found.append(attempt.answer_or_none(lambda: attempt.candidate.value("prediction")["sum"]))
        found.append(attempt.answer_or_none(lambda: attempt.candidate.value("nothing")))
        found.append(attempt.answer_or_none(disagrees))

    attempt.run(check)
    assert found == ["same", None, None]


def test_a_candidate_that_is_lost_is_no_missing_answer(attempt):
    def lost():
        raise CandidateLost("timed_out")

    with pytest.raises(CandidateLost):
        attempt.answer_or_none(lost)


def test_what_is_recorded_has_room_for_so_much_and_no_more(attempt):
    """What comes after it is recorded as something that no mistake explains."""

    def ask_and_ask():
        for _ in range(3):
            attempt.on_answer("value", ["x" * (MAX_RECORDED // 2 - 10)])

    attempt.run(ask_and_ask)
    first, second, third = attempt.recording.answers
    assert first == second and numbers_in(first) > MAX_RECORDED / 3
    assert isinstance(third, OmittedAnswer) and third != third


@pytest.mark.parametrize(
    "error",
    [MemoryError(), RuntimeError("[enforce fail at alloc_cpu.cpp:127] err == 0.")],
)
def test_want_of_memory_is_no_form_of_an_answer(attempt, error):
    def check():
        attempt.candidate.value("prediction")
        raise error

    with pytest.raises(MemoryError):
        attempt.run(check)
