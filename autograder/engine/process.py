"""A started candidate as the examiner sees it, whatever started it; what it may use.

`sandbox/` starts candidates; `examiner/` asks them. Neither knows the other: this is what they share.
"""

import sys
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # it imports torch, and limits are read without
    from autograder.engine.candidate.channel import Channel

MEBIBYTE = 1 << 20
NAMESPACES, PRACTICE = "namespaces", "practice"  # levels of the sandbox: all walls, or none

ELSEWHERE = (
    "Grading needs Linux, whose kernel makes the walls: on Windows use WSL, on macOS a virtual "
    "machine, or on either the container of this project."
)
ATTEMPTS = 3  # at examining a submission, before it is not graded


class SandboxError(Exception):
    """The walls cannot be built on this machine: nothing is graded, and no student gets a zero."""


def refuse_elsewhere(sandbox: str) -> None:
    """Raise `SandboxError` where no such grading is possible at all, whatever is installed.

    `sandbox` is require, auto or off. Windows has not even the sockets that a candidate answers on.
    """
    if sys.platform == "win32" or (sys.platform != "linux" and sandbox == "require"):
        raise SandboxError(ELSEWHERE)


@dataclass(frozen=True)
class Limits:
    """Seconds of wall clock by cell, by request, by exercise, and for the whole submission; bytes;
    descriptors.

    A right submission takes some 0.2 seconds in all, a cell 0.01, a request 0.005: a machine that is
    a hundred times slower still grades it. `examiner/clock.py` says how they work together.
    """

    cell_seconds: float = 10.0
    request_seconds: float = 5.0
    exercise_seconds: float = 10.0
    diagnosis_seconds: float = 10.0  # of CPU, and part of the total
    total_seconds: float = 60.0
    memory: int = 4096 * MEBIBYTE
    file_size: int = 64 * MEBIBYTE
    open_files: int = 256

    @property
    def cpu_seconds(self) -> int:
        """All threads of a candidate together get as much as one that never waits."""
        return int(self.total_seconds)

    def inside(self) -> dict[str, int]:
        """The part of them that the candidate puts on itself, before it meets any student's code."""
        return {
            "memory": self.memory,
            "cpu_seconds": self.cpu_seconds,
            "file_size": self.file_size,
            "open_files": self.open_files,
        }


class CandidateProcess(Protocol):
    """A started candidate. Every method raises `SandboxError` for a fault of the machine."""

    channel: "Channel"

    def ran_out_of_cpu(self) -> bool:
        """Whether the limit on CPU time ended a candidate that closed its channel."""

    def end(self) -> object:
        """Kill it; return when nothing of it is left."""


class CandidateSource(Protocol):
    """Whatever starts candidates: `sandbox.Walls`, or a test's own."""

    level: str  # NAMESPACES or PRACTICE; it goes into every verdict

    def start(self, limits: Limits, needs: Collection[str] = ()) -> CandidateProcess:
        """Start a candidate that waits for questions, and has imported what it `needs`.

        Raises `SandboxError`.
        """

    def close(self) -> None:
        """End whatever candidates come from; the next `start` begins from the ground."""
