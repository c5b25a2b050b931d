"""The small assignment, asked in this process."""

from collections.abc import Callable

import pytest

from autograder.engine.examiner import (
    Candidate,
    CheckRun,
    InProcessCandidate,
    run_cells,
    run_checks,
)


@pytest.fixture
def candidate(small) -> Callable[..., Candidate]:
    """The solution with some cells changed."""

    def make(**cells: str) -> Candidate:
        codes = [
            compile(code, name, "exec") for name, code in (small.solved_cells() | cells).items()
        ]
        return Candidate(InProcessCandidate(run_cells(codes)), small.aliases, small.signature)

    return make


@pytest.fixture
def asked(small, candidate) -> Callable[..., dict[str, CheckRun]]:
    """Put every check to the solution with some cells changed; return the runs by id."""

    def run(seed: int = 1, **cells: str) -> dict[str, CheckRun]:
        runs = run_checks(small.exercises, candidate(**cells), seed)
        return {check.id: check for check in runs}

    return run
