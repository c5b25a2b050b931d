"""Run graders on the course's own code in this process, without a sandbox.

Nothing is isolated. So the precision can be chosen, and only Python, torch and pytest take time.
"""

import contextlib
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

from autograder.authoring.rows import MatrixRow
from autograder.engine.course.assignment import Assignment, Exercise
from autograder.engine.course.mistake import Mistake, mistakes
from autograder.engine.diagnosis.in_process import InProcessCandidate, run_cells
from autograder.engine.examiner.checks import CheckRun
from autograder.engine.examiner.proxy import Candidate
from autograder.engine.examiner.session import PRECISIONS, run_checks, undisturbed

FLOAT32_ALONE = (False,)
SEEDS = 1, 2, 3  # with which ways of a mistake are compared


def examine_without_walls(
    assignment: Assignment,
    cells: dict[str, str],
    seed: int,
    exercises: Sequence[Exercise] = (),
    precisions: Sequence[bool] = PRECISIONS,
) -> list[CheckRun]:
    """Run these cells (source by id) in this process, then the checks of `exercises` (all if empty)
    on what they define; return the results of the checks.

    `precisions` are tried in order: True for float64, False for float32. Raises `GraderError` if a
    grader is at fault, and whatever the cells raise.
    """
    names = run_cells([compile(source, name, "exec") for name, source in cells.items()])
    candidate = Candidate(InProcessCandidate(names), assignment.aliases, assignment.signature)
    asked = exercises or assignment.exercises
    return run_checks(asked, candidate, seed, assignment.look_around, precisions)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Suppress printed output and warnings within the block."""
    with contextlib.redirect_stdout(None), warnings.catch_warnings(action="ignore"):
        yield


def examine_in_float32(
    assignment: Assignment, rows: list[MatrixRow], seeds: int, jobs: int, about: Collection[str]
) -> Iterator[tuple[MatrixRow, list[CheckRun]]]:
    """Yield each row with the results of its checks in float32 alone, once for each of `seeds`
    seeds, computed by `jobs` processes.

    Only those exercises in `about` (ids) are examined that the row changes.
    """
    tries = [(row, seed) for row in rows for seed in range(seeds)]
    runs_of_each = _in_processes(partial(_float32_runs, assignment, about), tries, jobs)
    yield from ((row, runs) for (row, _), runs in zip(tries, runs_of_each, strict=True))


def _float32_runs(
    assignment: Assignment, about: Collection[str], to_try: tuple[MatrixRow, int]
) -> list[CheckRun]:
    """Return the results of one row with one seed (the pair `to_try`), for the exercises in
    `about`.
    """
    row, seed = to_try
    exercises = [one for one in assignment.exercises if one.id in about and row.is_about(one.id)]
    cells = assignment.solved_cells() | row.cells
    runs = examine_without_walls(assignment, cells, seed, exercises, FLOAT32_ALONE)
    return [run.without_recording() for run in runs]


def find_doubles(
    assignment: Assignment, jobs: int, exercise: str = "", mistake: str = ""
) -> Iterator[str]:
    """Yield a line for each mistake that has several ways which answer all checks identically, so
    that one of these ways suffices.

    `exercise`, `mistake`: only this one; "" for all. `jobs`: how many processes.
    """
    several = [one for one in mistakes(assignment) if len(one.cells) > 1]
    asked = [one for one in several if exercise in ("", one.exercise) and mistake in ("", one.id)]
    groups = _in_processes(partial(same_ways, assignment), asked, jobs)
    for one, same in zip(asked, groups, strict=True):
        if same:
            said = " and ".join(", ".join(map(str, group)) for group in same)
            yield f"{one.exercise}: {one.id}: the same answers in its ways {said}"


def same_ways(assignment: Assignment, mistake: Mistake) -> list[list[int]]:
    """Return the groups of those ways of a mistake that answer all checks identically, with all
    seeds. A way is given by its number, from 1.
    """
    groups: list[tuple[list[object], list[int]]] = []
    for number, cell in enumerate(mistake.cells, start=1):
        answers = _answers(assignment, mistake.exercise, cell)
        for known, numbers in groups:
            if known == answers:
                numbers.append(number)
                break
        else:
            groups.append((answers, [number]))
    return [numbers for _, numbers in groups if len(numbers) > 1]


def _answers(assignment: Assignment, exercise: str, cell: str) -> list[object]:
    """Return what the exercise's checks were answered and how each ended, for all seeds, if the
    exercise's solution is this `cell` (source).
    """
    asked = [one for one in assignment.exercises if one.id == exercise]
    cells, found = assignment.solved_cells() | {exercise: cell}, list[object]()
    with quiet(), undisturbed():
        for seed in SEEDS:
            for run in examine_without_walls(assignment, cells, seed, asked):
                seen = run.recording
                said = seen and (seen.outcome, seen.answers)
                found.append((run.id, run.kind, said))
    return found


def _in_processes(function: Callable, tries: Iterable, jobs: int) -> Iterator:
    """Yield `function` of each of these arguments (`tries`), in order, computed by `jobs`
    processes.
    """
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(function, tries, chunksize=4)
