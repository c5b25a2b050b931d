"""The fixtures of graders: a pytest plugin that returns the values of the current attempt.

A grader is plain pytest. It compares answers of the fixture `candidate` by means of the other
fixtures. So every comparison has the same tolerance, is measured, and can be replayed with a
mutant.
"""

from collections.abc import Callable

import pytest

from autograder.engine.examiner.attempt import Attempt
from autograder.engine.examiner.proxy import Candidate


class Fixtures:
    """The plugin, once per pytest session. The fixtures return values of `attempt`."""

    attempt: Attempt

    def pytest_configure(self, config: pytest.Config) -> None:
        config.addinivalue_line("markers", "points(n): what a check is worth, each case of it")

    @pytest.fixture
    def candidate(self) -> Candidate:
        """The proxy of the student's code; for its methods see `Candidate`."""
        return self.attempt.candidate

    @pytest.fixture
    def tensors_agree(self) -> Callable[..., bool]:
        """tensors_agree(answer, expected): whether shape, dtype and values agree.

        It is False if `expected` is zero: use `tensor_is_zero`.
        """
        return self.attempt.tensors_agree

    @pytest.fixture
    def tensors_differ(self) -> Callable[..., bool]:
        """tensors_differ(answer, other): whether the two differ by more than the tolerance."""
        return self.attempt.tensors_differ

    @pytest.fixture
    def tensor_is_zero(self) -> Callable[..., bool]:
        """tensor_is_zero(answer): whether all values are finite, and zero within the tolerance."""
        return self.attempt.tensor_is_zero

    @pytest.fixture
    def number_is_close(self) -> Callable[..., bool]:
        """number_is_close(measured, expected, within): whether `measured`, a number that depends on
        chance, differs from `expected` by at most `within`.
        """
        return self.attempt.number_is_close

    @pytest.fixture
    def values_agree(self) -> Callable[..., bool]:
        """values_agree(answer, expected, digits=3, as_decimals=False): whether two values agree as
        a person would compare them.

        Numbers are compared to `digits` significant digits or decimals, whichever is coarser; with
        `as_decimals`, to decimals. Texts, booleans, lists and dicts are compared leniently, see
        `forgiving.py`.
        """
        return self.attempt.values_agree

    @pytest.fixture
    def noted(self) -> Callable:
        """noted(seen): record and return `seen`, something besides answers that decides the check,
        such as shapes. Mutants are compared by it, too.
        """
        return self.attempt.noted

    @pytest.fixture
    def unrecorded(self) -> Callable:
        """with unrecorded(): record no answers in this block, because rounding or chance decides
        their numbers.

        To compare mutants by these answers, call `noted` after the block.
        """
        return self.attempt.unrecorded

    @pytest.fixture
    def answer_or_none(self) -> Callable:
        """answer_or_none(question): call the function `question` and return its result, or None if
        the student's code fails, which another check grades.
        """
        return self.attempt.answer_or_none

    @pytest.fixture
    def surroundings(self) -> object:
        """The result of the assignment's `look_around`, or None if the student's code failed."""
        return self.attempt.surroundings
