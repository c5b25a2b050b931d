"""What determines a verdict besides the submission: graders, versions, walls, seed."""

import hashlib
import platform
import secrets
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version

from autograder.assignment import Assignment
from autograder.repair import Submission

NAMESPACES, PRACTICE = "namespaces", "practice"  # levels of the sandbox: all walls, or none
WEIGHTY = (  # packages whose version a verdict may depend on
    *("torch", "numpy", "safetensors", "einops", "jaxtyping", "matplotlib", "matplotlib-inline"),
    *("ipython", "pytest"),
)


@dataclass(frozen=True)
class Terms:
    """What is the same for all submissions of a run."""

    assignment: Assignment
    sandbox: str = NAMESPACES
    seed: int | None = None  # None: a fresh one for each submission

    def stamp(self, submission: str) -> dict:
        """Return the stamp of a verdict on the submission with this hash."""
        return {
            "grader": self.assignment.grader_hash,
            "submission": submission,
            "torch": versions()["torch"].partition("+")[0],
            "python": ".".join(platform.python_version_tuple()[:2]),
            "seed": secrets.randbits(31) if self.seed is None else self.seed,
            "sandbox": self.sandbox,
        }

    def made(self, stamp: dict, submission: str) -> bool:
        """Whether a verdict with this stamp was made on these terms, on this submission."""
        seed = {"seed": stamp["seed"]} if self.seed is None else {}
        return stamp == self.stamp(submission) | seed

    def key(self, submission: Submission) -> str:
        """The hash of all that determines a verdict, but for its random numbers."""
        words = [self.assignment.id, self.assignment.grader_hash, self.sandbox, lock()]
        return _digest([*words, submission.decisive])[:32]


@cache
def versions() -> dict[str, str]:
    """The packages that a verdict may depend on, as they are installed."""
    return {name: version(name) for name in WEIGHTY}


@cache
def lock() -> str:
    """The hash of Python's version and of those packages'."""
    packages = [f"{name} {number}" for name, number in versions().items()]
    return _digest([platform.python_version(), *packages])[:16]


def _digest(words: list[str]) -> str:
    return hashlib.sha256("\0".join(words).encode()).hexdigest()
