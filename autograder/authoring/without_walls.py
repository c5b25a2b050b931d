"""Run graders on the course's own code in this process, without a sandbox.

Nothing is isolated. So the precision can be chosen, and only Python, torch and pytest take time.
"""

import contextlib
import warnings
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

from autograder.authoring.row import MatrixRow
from autograder.engine import Assignment, courses, examiner

FLOAT32_ALONE = (False,)
OWN_SEED = 1 << 20  # of the cells' random numbers, different from all seeds of mutants


def examine_without_walls(
    assignment: Assignment,
    cells: dict[str, str],
    seed: int,
    exercises: Sequence[courses.Exercise] = (),
    precisions: Sequence[bool] = examiner.PRECISIONS,
) -> list[examiner.CheckRun]:
    """Run these cells (source by id) in this process, then the checks of `exercises`.

    `exercises`: all if empty. `seed`: of the graders' random inputs. `precisions` are tried in
    order: True for float64, False for float32. Raises `GraderError` if a grader is at fault, and
    all exceptions of the cells.
    """
    names = examiner.run_cells([compile(source, name, "exec") for name, source in cells.items()])
    code = examiner.InProcessCandidate(names)
    code.prepare_for(None, OWN_SEED)
    candidate = examiner.Candidate(code, assignment.aliases, assignment.signature)
    chosen = exercises or assignment.exercises
    return examiner.run_checks(chosen, candidate, seed, assignment.look_around, precisions)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Suppress printed output and warnings within the block."""
    with contextlib.redirect_stdout(None), warnings.catch_warnings(action="ignore"):
        yield


def examine_in_float32(
    assignment: Assignment, rows: list[MatrixRow], seeds: int, jobs: int, about: Collection[str]
) -> Iterator[tuple[MatrixRow, list[examiner.CheckRun]]]:
    """Yield each row with the results of its checks in float32 alone, for each of `seeds` seeds.

    Only exercises in `about` (ids) that the row changes are examined, by `jobs` processes.
    """
    tries = [(row, seed) for row in rows for seed in range(seeds)]
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        runs_of_each = pool.map(partial(_float32_runs, assignment, about), tries, chunksize=4)
        yield from ((row, runs) for (row, _), runs in zip(tries, runs_of_each, strict=True))


def _float32_runs(
    assignment: Assignment, about: Collection[str], to_try: tuple[MatrixRow, int]
) -> list[examiner.CheckRun]:
    row, seed = to_try
    exercises = [
        exercise
        for exercise in assignment.exercises
        if exercise.id in about and row.is_about(exercise.id)
    ]
    cells = assignment.solved_cells() | row.cells
    runs = examine_without_walls(assignment, cells, seed, exercises, FLOAT32_ALONE)
    return [run.without_recording() for run in runs]
