"""All of it, for one submission."""

from importlib import import_module
from typing import TYPE_CHECKING

from autograder.engine.grading.graded import describe_error, ungraded, unreadable
from autograder.engine.grading.results import CELLS, EARLIER, LOCK, PROPOSED, RESULTS

if TYPE_CHECKING:
    from autograder.engine.grading.grade import Grader, best_walls, prepare

__all__ = [
    "CELLS",
    "EARLIER",
    "LOCK",
    "PROPOSED",
    "RESULTS",
    "Grader",
    "best_walls",
    "describe_error",
    "prepare",
    "ungraded",
    "unreadable",
]

# They import torch: each when it is first asked for.
_HOMES = {
    "autograder.engine.grading.grade": "Grader best_walls prepare",
}


def __getattr__(name: str) -> object:
    for module, names in _HOMES.items():
        if name in names.split():
            return getattr(import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
