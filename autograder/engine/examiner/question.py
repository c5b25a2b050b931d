"""Questions to a submission's code, each of several steps.

`layer.load_state_dict(...)`, `layer.eval()` and `layer(x)` are a single question: [("load", ...),
("mode", ...), ("call", ...)]. Only the last step is answered.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from autograder.engine.examiner.faults import CandidateFault

Step = tuple[str, dict]  # an operation of the candidate's, and its arguments


class Question(NamedTuple):
    """Steps to run in order, each an operation of the candidate with its arguments.

    Only the last step is answered. `about`: the name that the student's message mentions.
    """

    steps: Sequence[Step]
    about: str = ""

    @property
    def operation(self) -> str:
        """The name of the operation that is answered."""
        return self.steps[-1][0]


class Reply(NamedTuple):
    """The reply to a question: a value, or a fault (else None).

    `handed`: the candidate's unparsed report of the calls of stand-ins during the question.
    """

    value: Any
    fault: CandidateFault | None
    handed: object
