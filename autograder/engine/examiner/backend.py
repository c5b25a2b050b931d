"""The interface between `Candidate` and what runs the code of a student or a mutant."""

from collections.abc import Callable
from typing import Protocol

from autograder.engine.examiner.question import Question, Reply


class Backend(Protocol):
    """What runs the code: `Supervisor` runs it in the sandbox, `InProcessCandidate` runs the
    project's own code in this process.
    """

    @property
    def alive(self) -> bool:
        """Whether the code is running and its cells have been run."""

    def ask(self, question: Question, compute: Callable | None = None) -> Reply:
        """Put a question; return the reply. Raise `CandidateLost` if the process that runs the code
        ends or times out.

        `compute`: a function that is called each time the code calls a played function, and returns
        the result. Its argument is the request: a dict with the number of the function ("played"),
        its arguments ("handed"), and "upstream", the gradient of the result if the arguments'
        gradients are wanted, else None.
        """

    def end(self) -> None:
        """End what runs the code; the next question starts it again."""
