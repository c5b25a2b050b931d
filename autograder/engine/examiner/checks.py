"""One check: a function to run it, and its result."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import pytest

from autograder.engine.courses.cells import GraderError
from autograder.engine.examiner.attempt import Attempt
from autograder.engine.examiner.fixtures import Fixtures
from autograder.engine.examiner.recording import Recording
from autograder.engine.verdicts.verdict import CheckResult, check_name

Call = Callable[[Attempt], None]


class Explanation(Protocol):
    """An explanation of failed checks: an id, a sentence for the student, and the checks' names."""

    @property
    def id(self) -> str: ...

    @property
    def sentence(self) -> str: ...

    @property
    def failing_checks(self) -> Collection[str]: ...


def _without_a_grader(attempt: Attempt) -> None:
    raise GraderError("this check can only be run in the process that collected it")


@dataclass(eq=False)
class CheckRun:
    """A check and its result, once it was run."""

    id: str
    exercise: str
    max_points: float
    passed: bool = False
    message: str | None = None
    question: str = ""  # its docstring: the message if an assertion has none
    kind: str = "not_asked"  # "passed", "wrong", a fault's kind, or the state of a lost candidate
    mistakes: list[Explanation] = field(default_factory=list)  # explanations of the failure
    normalised_errors: list[float] = field(default_factory=list)  # of the most informative attempt
    recording: Recording | None = None  # of that attempt
    library: frozenset[str] | None = None  # torch's names that the code called, if the check asked
    broke: str | None = None  # the exception caused by an odd answer, for staff
    call: Call = field(default=_without_a_grader, repr=False)  # runs it again

    @property
    def name(self) -> str:
        """The name of the test function, which all cases of a parametrized check share."""
        return check_name(self.id)

    @property
    def points(self) -> float:
        return self.max_points if self.passed else 0.0

    @property
    def worst_error(self) -> float:
        """The largest normalised error of the check's comparisons, which fail above 1."""
        return max(self.normalised_errors, default=0.0)

    @property
    def failed_by_an_answer(self) -> bool:
        """Whether a recorded answer failed the check, and not only an exception of the code."""
        return self.recording is not None and self.recording.failed_by_an_answer()

    def result(self, mistakes: Sequence[Explanation] = ()) -> CheckResult:
        """Return the result for the verdict. `mistakes`: those found in the exercise."""
        if self.passed:
            return CheckResult(self.id, self.points, self.max_points, True, None)
        causes = [
            mistake.id
            for mistake in mistakes
            if mistake in self.mistakes or self.name in mistake.failing_checks
        ]
        return CheckResult(self.id, self.points, self.max_points, False, self.message, causes)

    def without_recording(self) -> "CheckRun":
        """Return a copy that can be sent to another process, without recording and function."""
        return replace(self, recording=None, call=_without_a_grader)


def caller_of(item: pytest.Function, fixtures: Fixtures) -> Call:
    """Return a function that takes an `Attempt` and runs the check `item` with its fixtures.

    It runs the check as pytest does, but without pytest's hooks and reports, because each check is
    run many times: in each precision, and for each mutant that might explain a failure. A check
    that only uses the project's fixtures is called directly.
    """
    info = item._fixtureinfo
    names, only_ours = info.argnames, vars(Fixtures).keys() >= set(item.fixturenames)
    if only_ours and all(len(definitions) == 1 for definitions in info.name2fixturedefs.values()):
        return lambda attempt: item.obj(**{name: getattr(attempt, name) for name in names})

    def call(attempt: Attempt) -> None:
        fixtures.attempt = attempt
        state: Any = item.session._setupstate
        item._initrequest()
        try:
            state.setup(item)
            item.obj(**{name: item.funcargs[name] for name in names})
        finally:
            state.teardown_exact(None)  # else a fixture would carry numbers to the next attempt
            for definitions in info.name2fixturedefs.values():
                # pytest does not finish a fixture that a replay has stopped
                for definition in definitions:
                    definition._finalizers.clear()

    return call
