"""Code of a worker: read a submission, and grade it unless its verdict is current.

torch is imported for grading only, and never in the process that runs a class.
"""

from __future__ import annotations

import os
import signal
import socket
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING

from autograder.engine import (
    AutograderError,
    Graded,
    RunSettings,
    Submission,
    grading,
    limits,
    notebooks,
    texts,
    verdicts,
)

if TYPE_CHECKING:
    from autograder.engine import grading

_claim: list[int] = []  # the descriptor of this worker's claim, open as long as the worker lives
_warm: list[str] = []  # the address of a warm parent of this machine, if any
_one_at_a_time = Lock()  # a worker may have several threads


class NoWorkers(AutograderError):
    """No worker can grade. The message has the reason for each worker."""

    status = texts.NOT_GRADED


class LostWorkers(Exception):
    """Several workers died, in turn, while they graded the same submission."""

    def __init__(self, workers: int):
        """`workers`: number of lost workers."""
        super().__init__(
            f"{workers} workers were lost while they graded it, and it was put aside. "
            "Look at it before you grade again."
        )


@dataclass(frozen=True)
class Task:
    """A submission for a worker, as plain values, so that unpickling cannot fail."""

    student: str
    name: str  # of the notebook's file
    data: bytes  # content of the file
    stamp: verdicts.Stamp | None = None  # of a verdict that stays if it is current


@dataclass(frozen=True)
class Unchanged:
    """The verdict with the task's stamp is current. `submission`: the submission's hash."""

    submission: str


@dataclass(frozen=True)
class Failed:
    """No worker could grade a submission. `why`: a sentence without its full stop."""

    why: str


Outcome = Graded | Unchanged | Failed


def grade(settings: RunSettings, task: Task) -> Graded | Unchanged:
    """Return the `Graded` submission, or `Unchanged` if the verdict with the task's stamp is
    current.

    An alarm ends a worker that hangs. Raises `SandboxError` without a sandbox, `NoAnswer` if the
    process that reads the notebook is killed.
    """
    graded = grade_with_runs(settings, task)
    return replace(graded, runs=[]) if isinstance(graded, Graded) else graded


def grade_with_runs(settings: RunSettings, task: Task) -> Graded | Unchanged:
    """Grade like `grade`, but keep the checks' runs: received answers and measured errors."""
    with _one_at_a_time:
        signal.alarm(limits.Limits().alarm_seconds)
        try:
            submission = notebooks.parse_submission(
                settings.assignment, task.student, task.name, task.data
            )
            stamp = settings.stamp(submission.hash)
            if task.stamp and verdicts.is_current(task.stamp, stamp):
                return Unchanged(submission.hash)
            if submission.unreadable:
                return grading.unreadable(prepare_worker(settings).settings, submission)
            return _graded(settings, submission)
        finally:
            signal.alarm(0)


def _graded(settings: RunSettings, submission: Submission) -> Graded:
    """Grade the submission. A bug of ours becomes a `not_graded` verdict instead of an exception."""
    grader = prepare_worker(settings)
    try:
        return grader.grade_submission(submission)
    except Exception as error:  # our own bugs must not affect other submissions
        grader.walls.close()
        reason = f"a fault of the grader ({grading.describe_error(error)})"
        return grading.ungraded(grader.settings, submission, reason)


def prepare_worker(settings: RunSettings) -> grading.Grader:
    """Return this process's grader, after a self-test. Raises `SandboxError`."""
    from autograder.engine import grading
    from autograder.mistakes.exercises import diagnose_exercises

    return grading.prepare(settings, next(iter(_warm), None), diagnose_exercises)


def own_stamp(settings: RunSettings) -> verdicts.Stamp:
    """Return a stamp with this process's graders and versions, to compare workers. Its submission
    is "".
    """
    return settings.stamp("", seed=0)


def prepared_stamp(settings: RunSettings) -> verdicts.Stamp:
    """Prepare this worker, and return its `own_stamp`. Raises `SandboxError`."""
    claim_a_processor()
    prepare_worker(settings)
    return own_stamp(settings)


def prepared_walls(settings: RunSettings) -> tuple[str, str]:
    """Prepare this worker. Return the level of its sandbox, and the reason for a weaker level or
    "". Raises `SandboxError` without a sandbox.
    """
    claim_a_processor()
    walls = prepare_worker(settings).walls
    return walls.level, walls.why


def use_warm_parent(address: str) -> None:
    """Fork candidates from the warm parent at this address, see `started.ListeningParent`."""
    _warm[:] = [address]


def claim_a_processor() -> None:
    """Restrict this thread, with its threads and processes, to a processor that no other worker on
    this machine has claimed. If all are claimed, do nothing.

    A submission that starts endless threads then slows down only its own worker. Besides, examiner
    and candidate, which take turns, need not wake up another processor each time. The claim is the
    name of a socket: the kernel grants it once, and releases it when the process ends.
    """
    if _claim or not hasattr(os, "sched_setaffinity"):  # Linux
        return
    for processor in sorted(os.sched_getaffinity(0)):
        name = socket.socket(socket.AF_UNIX)
        try:
            name.bind(f"\0autograder-processor-{processor}")
        except OSError:  # claimed by another worker
            name.close()
            continue
        _claim.append(name.detach())
        os.sched_setaffinity(0, {processor})
        return
