"""What is recorded of answers, when two are equal, and when chance may have drawn a third like them."""

import math

import torch

from autograder.engine.examiner.comparing import TOLERANCE
from autograder.engine.examiner.faults import CandidateFault, Fault
from autograder.engine.examiner.recording import (
    MAX_ANSWERS,
    SAMPLES,
    MeasuredNumber,
    Recording,
    TensorSample,
    outcome_of,
    recorded,
)

ONES = torch.ones(3)


def sample(values: torch.Tensor) -> TensorSample:
    return TensorSample(tuple(values.shape), values.reshape(-1))


def test_samples_are_equal_within_the_tolerance():
    assert sample(ONES) == sample(ONES * (1 + TOLERANCE))
    assert sample(ONES) != sample(ONES * (1 + 3 * TOLERANCE))
    assert sample(ONES * math.nan) == sample(ONES * math.nan)
    assert sample(ONES) != sample(ONES[None])
    assert sample(ONES) != sample(ONES.double())
    assert sample(ONES) != ONES.tolist()


def test_measured_numbers_are_equal_within_twice_what_chance_may_do():
    assert MeasuredNumber(1.0, 0.1) == MeasuredNumber(1.19, 0.1)
    assert MeasuredNumber(1.0, 0.1) != MeasuredNumber(1.21, 0.1)
    assert MeasuredNumber(math.nan, 0.1) == MeasuredNumber(math.nan, 0.1)
    assert MeasuredNumber(math.inf, 0.1) != MeasuredNumber(-math.inf, 0.1)
    assert MeasuredNumber(math.inf, 0.1) != MeasuredNumber(1.0, 0.1)
    assert MeasuredNumber(1.0, 0.1) != 1.0


def test_of_a_call_the_first_answer_is_recorded_without_its_arguments():
    (answer, other, count) = recorded("call", [(ONES, [ONES, ONES]), "text", torch.ones(2).long()])
    assert answer == sample(ONES)
    assert other == "str" and count == ("torch.int64", (2,))


def test_of_a_plain_value_every_part_is_recorded():
    (made,) = recorded("value", {2: [0.5, True], "t": ONES})
    half = TensorSample((), torch.tensor([0.5], dtype=torch.float64))
    assert made == [["'t'", sample(ONES)], ["2", [half, True]]]
    assert recorded("function", [1, "text", None]) == [1, "text", None]


def test_of_a_long_answer_a_part_is_recorded():
    large = torch.arange(10.0 * SAMPLES)
    (made,) = recorded("function", [large])
    assert made.shape == (10 * SAMPLES,) and made.values.numel() == SAMPLES
    assert len(recorded("function", [0] * 5 * MAX_ANSWERS)) == MAX_ANSWERS


def test_gradients_are_recorded_and_whether_one_is_missing():
    answer = {"arguments": [ONES], "parameters": {"a": ONES, "b": None}}
    assert recorded("gradients", answer) == ([sample(ONES)], True)
    assert recorded("gradients", {"arguments": 3}) is None


def test_refusals_are_recorded_and_descriptions_are_not():
    assert recorded("refusals", ["ValueError", None]) == ["ValueError", None]
    assert recorded("modules", [{"name": "w_q"}]) is None


def test_a_check_ends_well_wrongly_or_by_a_fault():
    raised = Fault("raised", "ValueError", "unpack", {}, "softmax", 3)
    fault = CandidateFault(raised, "Your code raised.")
    assert outcome_of(None) is None
    assert outcome_of(AssertionError("Why?\nassert 1 == 2")) == ("wrong", "Why?")
    assert outcome_of(AssertionError("assert 0.83 > 0.9")) == ("wrong", "")  # as without pytest
    assert outcome_of(fault) == ("fault", "raised", "ValueError", "unpack")


def test_two_exceptions_of_one_type_are_one_end_only_if_they_say_the_same():
    unpack, again, domain = (
        CandidateFault(Fault("raised", "ValueError", template, {}, "softmax", line), "Raised.")
        for template, line in (("unpack", 3), ("unpack", 4), ("math_domain", 3))
    )
    assert outcome_of(unpack) == outcome_of(again) != outcome_of(domain)


def recording(**more) -> Recording:
    return Recording(False, False, None, torch.default_generator.get_state(), **more)


def test_stand_ins_matter_where_they_were_used_or_could_not_be():
    assert recording().stand_ins is None
    used = recording(stand_ins_offered=True, stand_ins_used=frozenset({"Attention"}))
    assert used.stand_ins == {"Attention"}
    assert recording(stand_ins_offered=True).stand_ins == frozenset()


def test_the_same_question_from_the_same_random_numbers_is_one_question():
    one, other = recording(), recording()
    assert one.question() == other.question()
    other.own_parts = True
    assert one.question() != other.question()
    other.own_parts, other.random = False, one.random + 1
    assert one.question() != other.question()


def test_a_wrong_answer_and_a_fault_alone_are_told_apart():
    wrong = ("wrong", "Why?")
    assert recording(answers=[[sample(ONES)]], outcome=wrong).failed_by_an_answer()
    assert recording(answers=[MeasuredNumber(1.0, 0.1)], outcome=wrong).failed_by_an_answer()
    assert not recording(answers=[["x"]], outcome=("fault",)).failed_by_an_answer()
    assert not recording(answers=[], outcome=wrong).failed_by_an_answer()
    assert not recording(answers=[[1]]).failed_by_an_answer()
