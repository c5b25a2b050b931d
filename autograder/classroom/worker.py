"""What runs on a worker: a grader of its own, made once, and one submission after another.

torch is imported when something is graded, and never in the process that runs a class.
"""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING

from autograder.classroom.errors import NoWalls
from autograder.engine.fingerprint import RunSettings, grader_hash, versions_hash
from autograder.engine.graded import Graded, describe_error, ungraded
from autograder.engine.process import SandboxError
from autograder.engine.submission import Submission

if TYPE_CHECKING:
    from autograder.engine.grade import Grader

Task = Callable[[RunSettings, Submission], Graded]
Tell = Callable[[str], object]  # takes a sentence for whoever looks on

_claim: list[int] = []  # the descriptor of this worker's claim, open as long as the worker lives
_one_at_a_time = Lock()  # a worker may have several threads


@dataclass(frozen=True)
class WorkerVersions:
    """What a worker grades with."""

    grader: str  # hash of the engine and the graders that it has
    versions: str  # hash of Python's version and of the packages'
    sandbox: str


def own_versions(settings: RunSettings) -> WorkerVersions:
    """Return what this process grades with."""
    return WorkerVersions(grader_hash(settings.assignment), versions_hash(), settings.sandbox)


def report_versions(settings: RunSettings) -> WorkerVersions:
    """Prepare this worker for grading; return what it grades with. Raises `NoWalls`."""
    claim_a_processor()
    prepare_worker(settings)
    return own_versions(settings)


def prepare_worker(settings: RunSettings) -> Grader:
    """Return this process's grader, whose walls have been tried. Raises `NoWalls`."""
    from autograder.engine.grade import prepare

    try:
        return prepare(settings)
    except SandboxError as error:
        raise NoWalls(str(error)) from error


def grade(settings: RunSettings, submission: Submission) -> Graded:
    """Return the result of one submission. Raises `NoWalls`, and nothing else."""
    return replace(grade_with_runs(settings, submission), runs=[])


def grade_with_runs(settings: RunSettings, submission: Submission) -> Graded:
    """The same, with what each check received and measured."""
    grader = prepare_worker(settings)
    with _one_at_a_time:
        try:
            return grader.grade_submission(submission)
        except Exception as error:  # a bug of ours: it must not cost the others their verdicts
            grader.walls.close()
            reason = f"a fault of the grader ({describe_error(error)})"
            return ungraded(settings, submission, reason)


@contextlib.contextmanager
def on_one_processor() -> Iterator[None]:
    """Keep this thread on a processor, as long as this lasts; see `claim_a_processor`."""
    if _claim or not hasattr(os, "sched_getaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    claim_a_processor()
    try:
        yield
    finally:
        if _claim:
            os.sched_setaffinity(0, before)
            os.close(_claim.pop())


def claim_a_processor() -> int | None:
    """Keep this thread, and what it starts, on a processor that no other worker here has claimed.

    Return which it is, None where all are claimed, or where it has one already.

    A submission that starts threads without end then slows down its own worker only; and questions
    and answers, which take turns, need not wake up another processor each time. The claim is the
    name of a socket: the kernel gives it once, and takes it back however the process ends.
    """
    if _claim or not hasattr(os, "sched_setaffinity"):  # Linux
        return None
    for processor in sorted(os.sched_getaffinity(0)):
        name = socket.socket(socket.AF_UNIX)
        try:
            name.bind(f"\0autograder-processor-{processor}")
        except OSError:  # somebody has it
            name.close()
            continue
        _claim.append(name.detach())
        os.sched_setaffinity(0, {processor})
        return processor
    return None
