"""The bare limit: the same cells by plain `exec`, the same checks asked directly, and no walls.

Examiner and candidate are one process here, so it is what Python, torch and pytest cost by themselves.
Run as a program, it says what a process of its own costs that has to import everything first.
"""

from collections.abc import Sequence
from typing import Any

import torch

from autograder.engine.assignment import Assignment, Exercise, find_assignment
from autograder.engine.examiner.proxy import Candidate
from autograder.engine.diagnosis.in_process import InProcessCandidate, run_cells
from autograder.engine.examiner.session import Check, run_checks


def examine_directly(
    assignment: Assignment,
    cells: dict[str, str],
    seed: int,
    exercises: Sequence[Exercise] = (),
    **how: Any,
) -> list[Check]:
    """Run the cells and ask every check, or those of some exercises; `how` is for `run_checks`."""
    known = assignment.known
    names = run_cells([compile(source, name, "exec") for name, source in cells.items()])
    candidate = Candidate(InProcessCandidate(names), known.ALIASES, known.STATEMENT)
    asked = exercises or assignment.exercises
    return run_checks(asked, candidate, seed, known.look_around, **how)


def main() -> None:
    torch.set_num_threads(1)
    assignment = find_assignment("encoder-layer")
    checks = examine_directly(assignment, assignment.solved_cells(), seed=1)
    assert all(check.passed for check in checks), checks


if __name__ == "__main__":
    main()
