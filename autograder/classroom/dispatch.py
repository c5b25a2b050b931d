"""Have submissions graded, here or by workers, and get back the results."""

import contextlib
import os
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING

from autograder.classroom.errors import NoWorkers
from autograder.classroom.waiting import Source
from autograder.classroom.worker import Task, Tell, grade, on_one_processor, prepare_worker
from autograder.engine.fingerprint import RunSettings
from autograder.engine.graded import Graded, ungraded
from autograder.engine.memory import affordable_workers, machine_memory
from autograder.engine.submission import Submission
from autograder.wording import plural

if TYPE_CHECKING:
    from autograder.classroom.local_pool import LocalPool
    from autograder.classroom.scheduler import Scheduler


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextlib.contextmanager
def begun(settings: RunSettings, jobs: int, task: Task = grade) -> Iterator["LocalPool | None"]:
    """Start at most `jobs` workers of this machine before it is known what they will grade; None
    where one process is enough.

    They import what they need while this process reads files and opens the gradebook.
    """
    jobs = min(jobs, affordable_workers())
    if jobs < 2:
        yield None
        return
    from autograder.classroom.local_pool import LocalPool

    with LocalPool(_with_one_seed(settings), jobs, task) as pool:
        yield pool


def grade_all(
    submissions: Iterable[Submission],
    settings: RunSettings,
    jobs: int,
    scheduler: str | None = None,
    task: Task = grade,
    tell: Tell = print,
    pool: "LocalPool | None" = None,
) -> Iterator[Graded]:
    """Yield the result of each submission, in the order in which they are finished.

    They come from the workers of this scheduler, or from `jobs` processes here (fewer, where there is
    not the memory for them), or, where one is enough, from this one. `submissions` are taken one by
    one, as workers get room for them. `tell` is called with a sentence on workers that there are not,
    and on each that is refused. A `pool` that has begun takes the place of other workers. Raises
    `NoScheduler`, `NoWorkers`, `NoWalls`.
    """
    settings = pool.settings if pool else _with_one_seed(settings)
    rest = iter(submissions)
    first = list(islice(rest, jobs))
    if not first:
        return
    rest, jobs = chain(first, rest), len(first)
    if scheduler is None:
        jobs = _affordable(jobs, tell)
    if pool:
        pool.jobs = jobs
        yield from _graded_by(pool, rest, settings)
        return
    if scheduler is None and jobs < 2:
        with on_one_processor():
            prepare_worker(settings)
            yield from (task(settings, submission) for submission in rest)
        return
    with contextlib.ExitStack() as open_pools:
        new_pool = _pool(settings, jobs, scheduler, task, tell, open_pools)
        yield from _graded_by(new_pool, rest, settings)


def _graded_by(
    pool: "LocalPool | Scheduler", submissions: Iterator[Submission], settings: RunSettings
) -> Iterator[Graded]:
    """Yield what a pool makes of submissions; once there is a result, whatever happens to its workers.

    Raises `NoWorkers`, `NoWalls`.
    """
    taken: dict[str, Submission] = {}  # by student, as long as there is no result
    none_yet = True

    def take() -> Iterator[Submission]:
        for submission in submissions:
            taken[submission.student] = submission
            yield submission

    try:
        for graded in pool.grade(take()):
            none_yet = False
            del taken[graded.verdict.student]
            yield graded
    except NoWorkers as error:
        if none_yet:
            raise
        for submission in chain(list(taken.values()), submissions):
            yield ungraded(settings, submission, str(error))


def grade_arriving(
    source: Source,
    settings: RunSettings,
    jobs: int,
    scheduler: str | None = None,
    task: Task = grade,
    tell: Tell = print,
) -> Iterator[Graded]:
    """Yield the result of each submission that the source has, until it ends.

    The workers are those of `grade_all`; they are started at once, and are ready when something
    comes. Raises `NoScheduler`, `NoWorkers`, `NoWalls`; what was not yielded by then is not graded.
    """
    if scheduler is None:
        jobs = _affordable(jobs, tell)
    with contextlib.ExitStack() as open_pools:
        pool = _pool(_with_one_seed(settings), jobs, scheduler, task, tell, open_pools)
        yield from pool.grade((), source)


def _with_one_seed(settings: RunSettings) -> RunSettings:
    """One seed for all: what known mistakes answer is computed once."""
    if settings.seed is not None:
        return settings
    return replace(settings, seed=secrets.randbits(31))


def _pool(
    settings: RunSettings,
    jobs: int,
    scheduler: str | None,
    task: Task,
    tell: Tell,
    opened: contextlib.ExitStack,
) -> "LocalPool | Scheduler":
    """The workers of this machine, or of this scheduler."""
    if scheduler is None:
        from autograder.classroom.local_pool import LocalPool

        return opened.enter_context(LocalPool(settings, jobs, task))
    from autograder.classroom.dask_cluster import cluster  # Dask takes a second to import
    from autograder.classroom.scheduler import Scheduler

    return Scheduler(opened.enter_context(cluster(scheduler)), settings, task, tell)


def _affordable(jobs: int, tell: Tell) -> int:
    """As many jobs as there is memory for on this machine; says so where that is fewer."""
    workers = affordable_workers()
    if workers >= jobs:
        return jobs
    few = plural(workers, "worker")
    memory = machine_memory() / (1 << 30)
    tell(f"{few} instead of {jobs}: this machine has {memory:.1f} GiB of memory.")
    return workers
