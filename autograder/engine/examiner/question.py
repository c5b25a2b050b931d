"""Questions to a submission's code; those that belong together travel together.

`layer.load_state_dict(...)`, `layer.eval()` and `layer(x)` are one question: [("load", ...), ("mode", ...),
("call", ...)], of which the last is answered. `candidate.answers(layer.later(x), layer.later(y))` puts two in
one message, and gets two answers, or the first and the fault of the second.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from autograder.engine.examiner.faults import CandidateFault

Step = tuple[str, dict]  # an operation of the candidate's, and its arguments


def as_it_is(answer: Any) -> Any:
    return answer


def nothing_else() -> None:
    """Nothing is asked where the code refuses a question."""


@dataclass(frozen=True)
class Question:
    """Steps, the last of which is answered; `about` is the name that the student's sentence speaks of if
    there is no such thing.

    `read` makes of the answer what the grader gets. `instead` is asked where the student's code refuses.
    """

    steps: Sequence[Step]
    about: str = ""
    read: Callable[[Any], Any] = as_it_is
    instead: "Callable[[], Question | None]" = nothing_else
    record: bool = True

    @property
    def operation(self) -> str:
        return self.steps[-1][0]

    @property
    def arguments(self) -> dict:
        return self.steps[-1][1]


class Reply(NamedTuple):
    """What came back: a value or a fault, and what stand-ins were handed meanwhile, still unread."""

    value: Any
    fault: CandidateFault | None
    handed: object
