"""The code that a worker runs: read one submission, and grade it unless its verdict is current.

torch is imported when something is graded, and never in the process that runs a class.
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
_warm: list[str] = []  # the address of a warm parent of this machine, if there is one
_one_at_a_time = Lock()  # a worker may have several threads


class NoWorkers(AutograderError):
    """There is no worker that can grade; the message says why, worker by worker."""

    status = texts.NOT_GRADED


class LostWorkers(Exception):
    """Several workers died, one after another, while they graded the same submission."""

    def __init__(self, workers: int):
        """`workers`: how many died."""
        super().__init__(
            f"{workers} workers were lost while they graded it, and it was put aside. "
            "Look at it before you grade again."
        )


@dataclass(frozen=True)
class Task:
    """One submission for a worker. It holds plain values only, so that unpickling cannot fail."""

    student: str
    name: str  # of the notebook's file
    data: bytes  # what the file holds
    stamp: verdicts.Stamp | None = None  # of a verdict that stays if it is current


@dataclass(frozen=True)
class Unchanged:
    """The verdict whose stamp was in the task is current. `submission`: the submission's hash."""

    submission: str


@dataclass(frozen=True)
class Failed:
    """No worker could say anything of a submission; `why`: a sentence without its full stop."""

    why: str


Outcome = Graded | Unchanged | Failed


def grade(settings: RunSettings, task: Task) -> Graded | Unchanged:
    """Return the `Graded` submission; or `Unchanged`, if the verdict whose stamp is in the task is
    current.

    An alarm ends a worker that hangs. Raises `SandboxError` if there is no sandbox, `NoAnswer` if
    the process that reads the notebook is killed.
    """
    graded = grade_with_runs(settings, task)
    return replace(graded, runs=[]) if isinstance(graded, Graded) else graded


def grade_with_runs(settings: RunSettings, task: Task) -> Graded | Unchanged:
    """Do what `grade` does, but keep the runs of the checks in the result: the answers that each
    received, and the errors it measured.
    """
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
    """Grade the submission. A bug of ours becomes a `not_graded` verdict that says so, instead of
    an exception.
    """
    grader = prepare_worker(settings)
    try:
        return grader.grade_submission(submission)
    except Exception as error:  # a bug of ours: it must not cost the others their verdicts
        grader.walls.close()
        reason = f"a fault of the grader ({grading.describe_error(error)})"
        return grading.ungraded(grader.settings, submission, reason)


def prepare_worker(settings: RunSettings) -> grading.Grader:
    """Return this process's grader, after a self-test of its sandbox. Raises `SandboxError` if that
    fails.
    """
    from autograder.engine import grading
    from autograder.mistakes.exercises import diagnose_exercises

    return grading.prepare(settings, next(iter(_warm), None), diagnose_exercises)


def own_stamp(settings: RunSettings) -> verdicts.Stamp:
    """Return a stamp with this process's graders and versions, by which workers are compared. It is
    of no submission: the hash in it is "", and the seed is that of the settings, else 0.
    """
    return settings.stamp("", seed=0)


def prepared_stamp(settings: RunSettings) -> verdicts.Stamp:
    """Prepare this worker for grading, and return its `own_stamp`. Raises `SandboxError` if there
    is no sandbox.
    """
    claim_a_processor()
    prepare_worker(settings)
    return own_stamp(settings)


def prepared_walls(settings: RunSettings) -> tuple[str, str]:
    """Prepare this worker for grading; return the level of its sandbox, and why no better one works
    here, or "". Raises `SandboxError` if there is no sandbox.
    """
    claim_a_processor()
    walls = prepare_worker(settings).walls
    return walls.level, walls.why


def use_warm_parent(address: str) -> None:
    """Make this worker fork its candidates from the warm parent that listens at this address; see
    `started.ListeningParent`.
    """
    _warm[:] = [address]


def claim_a_processor() -> None:
    """Restrict this thread, and the threads and processes it starts, to one processor that no other
    worker on this machine has claimed; if all are claimed, do nothing.

    A submission that starts threads without end then slows down its own worker only. Besides,
    examiner and candidate, which take turns, need not wake up another processor each time. The
    claim is the name of a socket: the kernel grants it once, and releases it when the process ends.
    """
    if _claim or not hasattr(os, "sched_setaffinity"):  # Linux
        return
    for processor in sorted(os.sched_getaffinity(0)):
        name = socket.socket(socket.AF_UNIX)
        try:
            name.bind(f"\0autograder-processor-{processor}")
        except OSError:  # somebody has it
            name.close()
            continue
        _claim.append(name.detach())
        os.sched_setaffinity(0, {processor})
        return
