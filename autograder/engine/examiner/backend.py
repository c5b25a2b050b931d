"""The interface between `Candidate` and what runs the code of a student or a mutant."""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from autograder.engine.examiner.question import Question, Reply


class Backend(Protocol):
    """Runs operations: `Supervisor` in the sandbox, `InProcessCandidate` for the project's own
    code.
    """

    @property
    def alive(self) -> bool:
        """Whether the code is running, with its cells already run."""

    def ask(
        self, questions: Sequence[Question], compute: Callable | None = None
    ) -> Iterable[Reply]:
        """Put questions in order; return the replies, up to the first fault. Raises
        `CandidateLost`.

        `compute` computes the results of played functions that the code calls meanwhile.
        """

    def end(self) -> None:
        """End what runs the code; the next question starts it anew."""
