"""What a `Candidate` needs of whoever runs the student's code, or a known mistake's."""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from autograder.engine.examiner.question import Question, Reply


class Backend(Protocol):
    """Carries out operations: `Supervisor` behind the walls, `InProcessCandidate` for our own code."""

    @property
    def alive(self) -> bool:
        """Whether something is there that has run the cells."""

    def ask(
        self, questions: Sequence[Question], compute: Callable | None = None
    ) -> Iterable[Reply]:
        """Put questions, one after another, up to the first that the code refuses. Raises `CandidateLost`.

        `compute` answers for played functions meanwhile.
        """

    def end(self) -> None:
        """End whatever runs the code; the next question starts anew."""
