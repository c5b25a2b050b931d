"""Grade a submission, and keep the results of a class in a folder."""

from typing import TYPE_CHECKING

from autograder import _lazily
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

# imported at first use, because they import torch
__getattr__ = _lazily(
    __name__,
    {
        "autograder.engine.grading.grade": "Grader best_walls prepare",
    },
)
