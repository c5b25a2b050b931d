"""Questions to a submission's code; several steps or questions go into one message.

`layer.load_state_dict(...)`, `layer.eval()` and `layer(x)` are one question: [("load", ...),
("mode", ...), ("call", ...)], of which the last is answered. `candidate.answers(layer.later(x),
layer.later(y))` puts two in one message, and gets two answers, or the first and the fault of the
second.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from autograder.engine.examiner.faults import CandidateFault

Step = tuple[str, dict]  # an operation of the candidate's, and its arguments


def as_it_is(answer: Any) -> Any:
    """The default of `read`: return the answer unchanged."""
    return answer


def nothing_else() -> None:
    """The default of `instead`: no other question is asked."""


@dataclass(frozen=True)
class Question:
    """Steps, of which the last is answered.

    `about` is the name that the student's sentence mentions; `read` converts the answer for the
    grader; `instead` returns the question to ask, or None, if the student's code refuses this one;
    `record` says whether the answer is recorded.
    """

    steps: Sequence[Step]
    about: str = ""
    read: Callable[[Any], Any] = as_it_is
    instead: "Callable[[], Question | None]" = nothing_else
    record: bool = True

    @property
    def operation(self) -> str:
        """The name of the operation that is answered."""
        return self.steps[-1][0]

    @property
    def arguments(self) -> dict:
        """The arguments of the operation that is answered."""
        return self.steps[-1][1]


class Reply(NamedTuple):
    """The reply to a question: a value or a fault, and the calls of stand-ins meanwhile, not yet
    parsed.
    """

    value: Any
    fault: CandidateFault | None
    handed: object
