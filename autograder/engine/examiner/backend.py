"""The interface between `Candidate` and the process with the code of a student or a mutant."""

from collections.abc import Callable
from typing import Protocol

from autograder.engine.examiner.question import Question, Reply


class Backend(Protocol):
    """Runs the code: `Supervisor` in the sandbox, `InProcessCandidate` in this process.

    Only the project's own code runs in this process.
    """

    @property
    def alive(self) -> bool:
        """Whether the code is running and its cells have been run."""

    def ask(self, question: Question, compute: Callable | None = None) -> Reply:
        """Put a question and return the reply.

        Raise `CandidateLost` if the process that runs the code ends or times out.

        `compute`: computes the result each time the code calls a played function. Its argument is a
        dict with the number of the function ("played"), its arguments ("handed"), and "upstream",
        the gradient of the result if the arguments' gradients are requested, else None.
        """

    def end(self) -> None:
        """End the process that runs the code. The next question starts it again."""
