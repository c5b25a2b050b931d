"""Have submissions graded, here or by workers, and get back the results."""

import contextlib
import os
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from autograder.classroom.errors import NoWorkers
from autograder.classroom.worker import Task, Tell, grade, prepare_worker
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


def grade_all(
    submissions: Sequence[Submission],
    settings: RunSettings,
    jobs: int,
    scheduler: str | None = None,
    task: Task = grade,
    tell: Tell = print,
) -> Iterator[Graded]:
    """Yield the result of each submission, in the order in which they are finished.

    They come from the workers of this scheduler, or from `jobs` processes here (fewer, where there is
    not the memory for them), or, where one is enough, from this one. `tell` is called with a sentence
    on workers that there are not, and on each that is refused. Raises `NoScheduler`, `NoWorkers`,
    `NoWalls`.
    """
    if settings.seed is None:  # one seed for all: what known mistakes answer is computed once
        settings = replace(settings, seed=secrets.randbits(31))
    jobs = min(jobs, len(submissions))
    if scheduler is None:
        jobs = _affordable(jobs, tell)
    if scheduler is None and jobs < 2:
        prepare_worker(settings)
        yield from (task(settings, submission) for submission in submissions)
        return
    rest = {submission.student: submission for submission in submissions}
    with contextlib.ExitStack() as open_pools:
        pool = _pool(settings, jobs, scheduler, task, tell, open_pools)
        try:
            for graded in pool.grade(submissions):
                del rest[graded.verdict.student]
                yield graded
        except NoWorkers as error:
            if len(rest) == len(submissions):
                raise
            yield from (ungraded(settings, one, str(error)) for one in rest.values())


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
