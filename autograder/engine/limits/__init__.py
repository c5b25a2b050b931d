"""Limits on processes: candidates, the examiner, and the parser of a submitted file."""

from autograder.engine.limits.bounded import NoAnswer, OutOfBounds, run_bounded
from autograder.engine.limits.memory import affordable_workers, machine_memory
from autograder.engine.limits.process import (
    LANDLOCK,
    LARGE_PAGES,
    NAMESPACES,
    PRACTICE,
    REQUIRE,
    WALLED,
    Limits,
    refuse_elsewhere,
)

__all__ = [
    "LANDLOCK",
    "LARGE_PAGES",
    "NAMESPACES",
    "PRACTICE",
    "REQUIRE",
    "WALLED",
    "Limits",
    "NoAnswer",
    "OutOfBounds",
    "affordable_workers",
    "machine_memory",
    "refuse_elsewhere",
    "run_bounded",
]
