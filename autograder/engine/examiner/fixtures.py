"""The fixtures of graders: a pytest plugin that returns the values of the present attempt.

A grader is plain pytest. It compares answers of the fixture `candidate` with the fixtures here: so
every comparison has the one tolerance, is measured, and can be replayed with a mutant.
"""

from collections.abc import Callable

import pytest

from autograder.engine.examiner.attempt import Attempt
from autograder.engine.examiner.proxy import Candidate


class Fixtures:
    """The plugin, one object a pytest session; `attempt` holds what its fixtures return at present."""

    attempt: Attempt

    def pytest_configure(self, config: pytest.Config) -> None:
        config.addinivalue_line("markers", "points(n): what a check is worth, each case of it")

    @pytest.fixture
    def candidate(self) -> Candidate:
        """The proxy of the student's code: build, function, value, stand_in, refusals."""
        return self.attempt.candidate

    @pytest.fixture
    def tensors_agree(self) -> Callable[..., bool]:
        """tensors_agree(answer, expected): whether shape, dtype and values agree; False where
        `expected` is zero.
        """
        return self.attempt.tensors_agree

    @pytest.fixture
    def tensors_differ(self) -> Callable[..., bool]:
        """tensors_differ(answer, other): whether they differ by more than the tolerance."""
        return self.attempt.tensors_differ

    @pytest.fixture
    def tensor_is_zero(self) -> Callable[..., bool]:
        """tensor_is_zero(answer): whether all values are finite, and zero within the tolerance."""
        return self.attempt.tensor_is_zero

    @pytest.fixture
    def number_is_close(self) -> Callable[..., bool]:
        """number_is_close(measured, expected, within): whether a measured number that depends on
        chance is no more than `within` away from `expected`.
        """
        return self.attempt.number_is_close

    @pytest.fixture
    def values_agree(self) -> Callable[..., bool]:
        """values_agree(answer, expected, digits=3): whether a number agrees to so many significant
        digits or decimals, or texts, booleans, lists and dicts agree as a person would compare
        them.
        """
        return self.attempt.values_agree

    @pytest.fixture
    def noted(self) -> Callable:
        """noted(seen): record and return what a check looks at besides answers, such as shapes;
        mutants are compared by it, too.
        """
        return self.attempt.noted

    @pytest.fixture
    def unrecorded(self) -> Callable:
        """with unrecorded(): record no answers in this block, because rounding or chance decides
        their numbers. What is `noted` of them after the block is what mutants are compared by.
        """
        return self.attempt.unrecorded

    @pytest.fixture
    def answer_or_none(self) -> Callable:
        """answer_or_none(question): call this function; return its answer, or None where the
        student's code fails: another check grades that.
        """
        return self.attempt.answer_or_none

    @pytest.fixture
    def surroundings(self) -> object:
        """What the assignment's `look_around` returned; None where the candidate gave no answer."""
        return self.attempt.surroundings
