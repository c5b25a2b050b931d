"""Have submissions graded, here or by workers, and get back what comes out."""

import os
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import replace

from autograder.classroom.errors import NoWorkers
from autograder.classroom.worker import Task, Tell, grade, prepare
from autograder.graded import Graded, ungraded
from autograder.handed import Handed
from autograder.stamp import Terms


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def grade_all(
    submissions: Sequence[Handed],
    terms: Terms,
    jobs: int,
    scheduler: str | None = None,
    task: Task = grade,
    tell: Tell = print,
) -> Iterator[Graded]:
    """Yield what comes out, in the order in which it does.

    From the workers of this scheduler, or from `jobs` processes here, or, where one is enough, from
    this one. What becomes of workers is told. Raises `NoScheduler`, `NoWorkers`, `NoWalls`.
    """
    if terms.seed is None:  # one exam for all: what known mistakes answer is found out once
        terms = replace(terms, seed=secrets.randbits(31))
    if scheduler is None and min(jobs, len(submissions)) < 2:
        prepare(terms)
        yield from (task(terms, handed) for handed in submissions)
        return
    from autograder.classroom.cluster import cluster  # Dask, too, is imported where it is used
    from autograder.classroom.crew import Crew

    rest = {handed.student: handed for handed in submissions}
    with cluster(min(jobs, len(submissions)), scheduler) as client:
        try:
            for graded in Crew(client, terms, task, tell).grade(submissions):
                del rest[graded.verdict.student]
                yield graded
        except NoWorkers as error:
            if len(rest) == len(submissions):
                raise
            yield from (ungraded(terms, handed, str(error)) for handed in rest.values())
