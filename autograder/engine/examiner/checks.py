"""One check: how to run it, and its result."""

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
    """What explains failed checks: an id, a sentence for the student, and the names of the checks that
    fail because of it.
    """

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
    """A check and, once it was run, its result. `kind` says how it ended ("passed", "wrong", the
    kind of a fault, or the state of a lost candidate) and decides the state of the exercise.

    `question`: the check's docstring, which is the message where an assertion has none; `library`:
    names of torch's that the code used, if the check asked for them; `broke`: how the check broke
    on an odd answer, for staff; `call`: runs it again.
    """

    id: str
    exercise: str
    max_points: float
    passed: bool = False
    message: str | None = None
    question: str = ""  # its docstring: what it says where an assert says nothing
    kind: str = "not_asked"  # passed, wrong, a fault's kind, or the state of a lost candidate
    mistakes: list[Explanation] = field(default_factory=list)  # that explain why it failed
    normalised_errors: list[float] = field(default_factory=list)  # of the try that tells most
    recording: Recording | None = None  # of that try
    library: frozenset[str] | None = None  # what of torch's it found called, if it asked
    broke: str | None = None  # how, if it could not work with an answer: for staff
    call: Call = field(default=_without_a_grader, repr=False)  # run it once more

    @property
    def name(self) -> str:
        """The name of the test function, which all cases of a parametrized check share."""
        return check_name(self.id)

    @property
    def points(self) -> float:
        return self.max_points if self.passed else 0.0

    @property
    def worst_error(self) -> float:
        """The largest normalised error of the comparisons in this check, 0 if there are none; above
        1, a comparison has failed.
        """
        return max(self.normalised_errors, default=0.0)

    @property
    def failed_by_an_answer(self) -> bool:
        """Whether the check failed because of a recorded answer, and not only because the code
        raised.
        """
        return self.recording is not None and self.recording.failed_by_an_answer()

    def result(self, named: Sequence[Explanation] = ()) -> CheckResult:
        """Return the part of this result that the verdict holds. `named`: the mistakes that were
        found in the exercise.
        """
        if self.passed:
            return CheckResult(self.id, self.points, self.max_points, True, None)
        causes = [
            one.id for one in named if one in self.mistakes or self.name in one.failing_checks
        ]
        return CheckResult(self.id, self.points, self.max_points, False, self.message, causes)

    def without_recording(self) -> "CheckRun":
        """Return a copy without the recording and the function that runs the check: neither can be
        sent to another process.
        """
        return replace(self, recording=None, call=_without_a_grader)


def caller_of(item: pytest.Function, fixtures: Fixtures) -> Call:
    """Return a function that takes an `Attempt` and runs the check `item` with its fixtures.

    It runs the check as pytest does, without pytest's hooks and reports, because each check is run
    many times: in each precision, and for each mutant that might explain a failure. A check that
    uses no fixtures but the project's is called directly.
    """
    info = item._fixtureinfo
    names, ours = info.argnames, vars(Fixtures).keys() >= set(item.fixturenames)
    if ours and all(len(found) == 1 for found in info.name2fixturedefs.values()):
        return lambda attempt: item.obj(**{name: getattr(attempt, name) for name in names})

    def call(attempt: Attempt) -> None:
        fixtures.attempt = attempt
        state: Any = item.session._setupstate
        item._initrequest()
        try:
            state.setup(item)
            item.obj(**{name: item.funcargs[name] for name in names})
        finally:
            state.teardown_exact(None)  # no fixture outlives a try: it would bring numbers along
            for definitions in info.name2fixturedefs.values():
                for one in definitions:  # pytest does not finish one that a replay has stopped
                    one._finalizers.clear()

    return call
