"""One attempt at a check: the values of a grader's fixtures, and a recording of the answers."""

import contextlib
import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

from autograder.engine.courses.cells import GraderError
from autograder.engine.examiner.comparing import distance, normalised_error, size
from autograder.engine.examiner.faults import CandidateFault
from autograder.engine.examiner.forgiving import LenientValue, agrees
from autograder.engine.examiner.proxy import Candidate
from autograder.engine.examiner.recording import (
    MAX_ANSWERS,
    MAX_RECORDED,
    MeasuredNumber,
    OmittedAnswer,
    Recording,
    numbers_in,
    outcome_of,
    plain_sample,
    recorded,
)
from autograder.engine.limits.memory import raise_if_out_of_memory

LookAround = Callable[[Candidate, Callable[[Callable], object]], object]  # and `answer_or_none`

ODD_ANSWER = (TypeError, LookupError, AttributeError, ValueError, ArithmeticError, RuntimeError)
OTHER_FORM = "Does `{}` have the form that the statement asks for?"


@contextlib.contextmanager
def failures_as_assertions(candidate: Candidate) -> Iterator[None]:
    """Within this block, raise every failure of a check as an `AssertionError`.

    `pytest.fail` counts as a failure. So does an exception of the grader caused by an odd answer,
    if the check asked `candidate` for a student's function or value. `pytest.skip` is raised as a
    `GraderError`, and running out of memory as a `MemoryError`.
    """
    try:
        yield
    except pytest.fail.Exception as error:
        raise AssertionError(error.msg) from None
    except pytest.skip.Exception as error:
        raise GraderError(f"a check skipped itself: {error.msg}") from None
    except ODD_ANSWER as error:
        raise_if_out_of_memory(error)
        if not candidate.plain_answers:
            raise
        names = " and ".join(sorted(candidate.plain_answers))
        raise AssertionError(OTHER_FORM.format(names)) from error


class Attempt:
    """One attempt at a check, with the values of the fixtures and all comparisons with a tolerance.

    `double`: compute in float64. `own_parts`: use the student's own parts and no stand-ins.
    `surroundings`: the result of the assignment's `look_around`. `as_several`: stand-ins return a
    tuple if the student's own part did.
    """

    def __init__(
        self,
        candidate: Candidate,
        double: bool,
        own_parts: bool,
        surroundings: object = None,
        as_several: bool = False,
    ):
        self.candidate = candidate
        self.surroundings = surroundings
        self.double, self.own_parts, self.as_several = double, own_parts, as_several
        self.normalised_errors: list[float] = []  # of each comparison, which fails above 1
        self.recording: Recording | None = None
        self.room = MAX_RECORDED
        self.recorded = True  # whether answers are recorded now

    def run(self, check: Callable[[], object]) -> None:
        """Run `check` and record answers and outcome. Raise failures as `AssertionError`."""
        self._begin()
        self.candidate.on_answer = self.on_answer
        random = torch.default_generator.get_state()
        recording = Recording(self.double, self.own_parts, self.surroundings, random)
        self.recording = recording
        try:
            with failures_as_assertions(self.candidate):
                check()
            recording.outcome = outcome_of(None)
        except (AssertionError, CandidateFault) as error:
            recording.outcome = outcome_of(error)
            raise

    def look(self, look_around: LookAround) -> object:
        """Return the result of the assignment's `look_around`, which runs before the first check.

        Raise failures as `AssertionError`.
        """
        self._begin()
        with failures_as_assertions(self.candidate):
            return look_around(self.candidate, self.answer_or_none)

    def _begin(self) -> None:
        self.candidate = self.candidate.for_check(self.double, self.own_parts, self.as_several)

    def on_answer(
        self, operation: str, answer: object, fault: CandidateFault | None = None
    ) -> None:
        """Record the candidate's answer to an operation ("call", "build", ...), or its fault."""
        recording = self._under_way
        recording.stand_ins_offered |= bool(self.candidate.stand_ins_offered)
        recording.stand_ins_used |= self.candidate.stand_ins_used
        self._add(outcome_of(fault) if fault else recorded(operation, answer))

    # The comparing fixtures; their docstrings for graders are in `fixtures.py`.

    def tensors_agree(self, answer: torch.Tensor, expected: torch.Tensor) -> bool:
        return self._within(normalised_error(answer, expected))

    def tensors_differ(self, answer: torch.Tensor, other: torch.Tensor) -> bool:
        error = distance(answer, other)
        return self._within(1 / error if error else math.inf)

    def tensor_is_zero(self, answer: torch.Tensor) -> bool:
        return self._within(size(answer))

    def number_is_close(self, measured: Any, expected: float, within: float) -> bool:
        try:
            value = float(measured)
        except (TypeError, ValueError, OverflowError, RuntimeError):
            value = math.nan
        self._add(MeasuredNumber(value, within))
        error = abs(value - expected) / within
        return self._within(math.inf if math.isnan(error) else error)

    def values_agree(
        self, answer: object, expected: object, digits: int = 3, as_decimals: bool = False
    ) -> bool:
        self._add(LenientValue(answer, digits, as_decimals))
        return agrees(answer, expected, digits, as_decimals)

    def noted(self, seen: Any) -> Any:
        self._add(plain_sample(seen))
        return seen

    @contextlib.contextmanager
    def unrecorded(self) -> Iterator[None]:
        self.recorded = False
        try:
            yield
        finally:
            self.recorded = True

    def answer_or_none(self, question: Callable[[], object]) -> object:
        try:
            with failures_as_assertions(self.candidate):
                return question()
        except (AssertionError, CandidateFault):
            return None

    @property
    def _under_way(self) -> Recording:
        assert self.recording is not None
        return self.recording

    def _add(self, answer: object) -> None:
        answers = self._under_way.answers
        if self.recorded and len(answers) < MAX_ANSWERS:
            self.room -= numbers_in(answer)
            answers.append(answer if self.room >= 0 else OmittedAnswer())

    def _within(self, error: float) -> bool:
        self.normalised_errors.append(error)
        return error <= 1
