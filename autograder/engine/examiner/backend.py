"""What a `Candidate` needs of whoever runs the student's code, or a known mistake's."""

from collections.abc import Callable
from typing import Any, Protocol


def nobody_hears(handed: list) -> None:
    """Nobody wants to know what stand-ins were handed."""


class Backend(Protocol):
    """Carries out operations: `Supervisor` behind the walls, `InProcessCandidate` for our own code."""

    @property
    def alive(self) -> bool:
        """Whether something is there that has run the cells."""

    def begin(self) -> None:
        """Forget what was prepared for a question that was never asked."""

    def prepare(self, operation: str, arguments: dict) -> None:
        """Have this done before the next question, in the same message."""

    def ask(
        self,
        operation: str,
        arguments: dict,
        compute: Callable | None = None,
        about: str = "",
        hear: Callable = nobody_hears,
    ) -> Any:
        """Put one question; return the value of the answer. Raises `CandidateFault`, `CandidateLost`.

        `compute` answers for played functions meanwhile; `hear` gets what stand-ins were handed.
        """

    def end(self) -> None:
        """End whatever runs the code; the next question starts anew."""
