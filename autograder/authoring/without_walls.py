"""Examine code of our own in this process: no walls, no second process, one precision if wanted.

No process is started and nothing is sealed: so the precision can be chosen, and the time is that of
Python, torch and pytest alone.
"""

from collections.abc import Sequence

from autograder.engine.course.assignment import Assignment, Exercise
from autograder.engine.diagnosis.in_process import InProcessCandidate, run_cells
from autograder.engine.examiner.checks import CheckRun
from autograder.engine.examiner.proxy import Candidate
from autograder.engine.examiner.session import PRECISIONS, run_checks


def examine_without_walls(
    assignment: Assignment,
    cells: dict[str, str],
    seed: int,
    exercises: Sequence[Exercise] = (),
    precisions: Sequence[bool] = PRECISIONS,
) -> list[CheckRun]:
    """Run these cells and put every check to them, or those of some exercises.

    `precisions` are those that are tried, one after another: True for float64, False for float32.
    """
    names = run_cells([compile(source, name, "exec") for name, source in cells.items()])
    candidate = Candidate(InProcessCandidate(names), assignment.aliases, assignment.signature)
    asked = exercises or assignment.exercises
    return run_checks(asked, candidate, seed, assignment.look_around, precisions)
