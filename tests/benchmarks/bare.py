"""The bare limit: the same cells by plain `exec`, the same checks asked directly, and no walls.

Examiner and candidate are one process here, so it is what Python, torch and pytest cost by themselves.

    python -m tests.benchmarks.bare ASSIGNMENT

says what a process of its own costs that has to import everything first.
"""

import sys

import torch

from autograder import find_assignment, find_course
from autograder.authoring.without_walls import examine_without_walls
from tests.benchmarks.checkout import CHECKOUT


def main(name: str) -> None:
    torch.set_num_threads(1)
    assignment = find_assignment(name, find_course(CHECKOUT))
    runs = examine_without_walls(assignment, assignment.solved_cells(), seed=1)
    assert all(run.passed for run in runs), runs


if __name__ == "__main__":
    main(sys.argv[1])
