"""Decide whether the grader is at fault for a broken check, by running it on the solution."""

import contextlib
from itertools import product

from autograder.engine.courses.assignment import Assignment
from autograder.engine.examiner.attempt import Attempt
from autograder.engine.examiner.checks import CheckRun
from autograder.engine.examiner.faults import CandidateFault
from autograder.engine.examiner.in_process import InProcessCandidate, run_cells
from autograder.engine.examiner.proxy import Candidate
from autograder.engine.examiner.session import PRECISIONS


def holds_for_solution(assignment: Assignment, check: CheckRun) -> bool:
    """Whether the check runs on the solution without breaking, whether it passes or fails.

    It is run in this process with stand-ins and with own parts, in each precision.
    """
    cells = [compile(source, "<a cell>", "exec") for source in assignment.solved_cells().values()]
    backend = InProcessCandidate(run_cells(cells))
    candidate = Candidate(backend, assignment.aliases, assignment.signature)
    try:
        for own_parts, double in product((False, True), PRECISIONS):
            attempt = Attempt(candidate, double, own_parts)
            with contextlib.suppress(AssertionError, CandidateFault):
                attempt.run(lambda: check.call(attempt))  # noqa: B023  called at once
    except Exception:  # the check breaks without a student, too
        return False
    return True
