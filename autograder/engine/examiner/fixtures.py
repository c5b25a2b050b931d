"""The fixtures of graders: a pytest plugin that hands out the values of the attempt under way.

A grader is plain pytest. Beside the fixture `candidate` it uses these to compare: so every
comparison has the one tolerance, is measured, and can be repeated with a known mistake.
"""

from collections.abc import Callable

import pytest

from autograder.engine.examiner.attempt import Attempt
from autograder.engine.examiner.proxy import Candidate


class Fixtures:
    """One plugin object a pytest session; `attempt` is what its fixtures hand out at present."""

    attempt: Attempt

    def pytest_configure(self, config: pytest.Config) -> None:
        config.addinivalue_line("markers", "points(n): what a check is worth, each case of it")

    @pytest.fixture
    def candidate(self) -> Candidate:
        """The student's code, at arm's length: build, function, value, stand_in, refusals."""
        return self.attempt.candidate

    @pytest.fixture
    def tensors_agree(self) -> Callable[..., bool]:
        """tensors_agree(answer, expected): same shape, dtype, values; nothing agrees with zeros."""
        return self.attempt.tensors_agree

    @pytest.fixture
    def tensors_differ(self) -> Callable[..., bool]:
        """tensors_differ(answer, other): another answer, by more than the tolerance."""
        return self.attempt.tensors_differ

    @pytest.fixture
    def tensor_is_zero(self) -> Callable[..., bool]:
        """tensor_is_zero(answer): all are numbers, and within the tolerance of zero."""
        return self.attempt.tensor_is_zero

    @pytest.fixture
    def number_is_close(self) -> Callable[..., bool]:
        """number_is_close(measured, expected, within): for a number that chance has a part in."""
        return self.attempt.number_is_close

    @pytest.fixture
    def values_agree(self) -> Callable[..., bool]:
        """values_agree(answer, expected, digits=3): a number to so many digits, significant ones or
        decimals; texts, truths, lists and dicts of such, as a person would compare them.
        """
        return self.attempt.values_agree

    @pytest.fixture
    def noted(self) -> Callable:
        """noted(seen): returns what a check looks at that is no answer, such as shapes; mistakes
        are told apart by it.
        """
        return self.attempt.noted

    @pytest.fixture
    def unrecorded(self) -> Callable:
        """with unrecorded(): ... of answers that rounding or chance decides nothing is recorded but what
        is `noted` of them behind it: by that fact their mistake is known, and not by their numbers.
        """
        return self.attempt.unrecorded

    @pytest.fixture
    def answer_or_none(self) -> Callable:
        """answer_or_none(question): the answer of a function without arguments, or None where the
        student's code has none: another check asks for that.
        """
        return self.attempt.answer_or_none

    @pytest.fixture
    def surroundings(self) -> object:
        """What the assignment's `look_around` returned; None where there was no answer."""
        return self.attempt.surroundings
