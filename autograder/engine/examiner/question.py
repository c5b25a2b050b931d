"""Questions to a submission's code; several steps or questions go into one message.

`layer.load_state_dict(...)`, `layer.eval()` and `layer(x)` are one question: [("load", ...),
("mode", ...), ("call", ...)]; only the last step is answered. `candidate.answers(layer.later(x),
layer.later(y))` puts two questions in one message. It gets two answers, or, if the second raises,
one answer and a fault.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from autograder.engine.examiner.faults import CandidateFault

Step = tuple[str, dict]  # an operation of the candidate's, and its arguments


def as_it_is(answer: Any) -> Any:
    """Return `answer` unchanged: the default of `Question.read`."""
    return answer


def nothing_else() -> None:
    """Return None: the default of `Question.instead`, no other question is put."""


@dataclass(frozen=True)
class Question:
    """Steps to run in order; only the last one is answered.

    `about`: the name that the student's message mentions; `read`: converts the answer for the
    grader; `instead`: returns the question to put if the student's code raises at this one, or
    None; `record`: whether the answer is recorded.
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
    """The reply to a question: a value or a fault. `handed` are the calls of stand-ins in the
    meantime, not yet parsed.
    """

    value: Any
    fault: CandidateFault | None
    handed: object
