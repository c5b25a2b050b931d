"""Run graders on the course's own code in this process, without a sandbox.

Nothing is isolated, so the precision can be chosen, and the only cost is that of Python, torch and
pytest.
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
    """Run these cells, then the checks of `exercises` (of all if empty) on them; return the
    results.

    `precisions` are tried in order: True for float64, False for float32. Raises `GraderError`, and
    whatever the cells raise.
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
    """Yield each row with its results in float32 alone, once for each of `seeds` seeds.

    Only the exercises in `about` that the row changes are examined.
    """
    tries = [(row, seed) for row in rows for seed in range(seeds)]
    runs_of_each = _in_processes(partial(_float32_runs, assignment, about), tries, jobs)
    yield from ((row, runs) for (row, _), runs in zip(tries, runs_of_each, strict=True))


def _float32_runs(
    assignment: Assignment, about: Collection[str], to_try: tuple[MatrixRow, int]
) -> list[CheckRun]:
    row, seed = to_try
    exercises = [one for one in assignment.exercises if one.id in about and row.is_about(one.id)]
    cells = assignment.solved_cells() | row.cells
    runs = examine_without_walls(assignment, cells, seed, exercises, FLOAT32_ALONE)
    return [run.without_recording() for run in runs]


def find_doubles(
    assignment: Assignment, jobs: int, exercise: str = "", mistake: str = ""
) -> Iterator[str]:
    """Yield a line for each mistake that has ways with identical answers to all checks: one of them
    suffices.

    `exercise` and `mistake` limit the search.
    """
    several = [one for one in mistakes(assignment) if len(one.cells) > 1]
    asked = [one for one in several if exercise in ("", one.exercise) and mistake in ("", one.id)]
    groups = _in_processes(partial(same_ways, assignment), asked, jobs)
    for one, same in zip(asked, groups, strict=True):
        if same:
            said = " and ".join(", ".join(map(str, group)) for group in same)
            yield f"{one.exercise}: {one.id}: the same answers in its ways {said}"


def same_ways(assignment: Assignment, mistake: Mistake) -> list[list[int]]:
    """Return groups of a mistake's ways, numbered from 1, whose answers to all checks are identical
    with all seeds.
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
    """Return the answers to the exercise's checks, and how each check ended, for all seeds."""
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
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(function, tries, chunksize=4)
