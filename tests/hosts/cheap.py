"""What takes the place of grading on workers: everything around it is real.

A worker loads it with `dask worker --preload tests.hosts.cheap`: it then needs no torch and no walls.
"""

import os
import time
from pathlib import Path

from msgspec.structs import replace

from autograder.classroom import worker
from autograder.engine.fingerprint import RunSettings
from autograder.engine.graded import Graded, empty, ungraded
from autograder.engine.submission import Submission
from autograder.engine.verdict import CheckResult, ExerciseResult, Verdict

HOLD, STARTED = "hold", "started"  # files in a host's temporary folder
LONGEST_HOLD = 100.0  # seconds


def grade(settings: RunSettings, submission: Submission) -> Graded:
    """Give full points, and write who was graded, as long as there is room for that.

    It waits while this host's file `hold` is there, and names this student or nobody.
    """
    try:
        folder = Path(os.environ["TMPDIR"])
        with (folder / STARTED).open("a") as file:
            file.write(f"{submission.student}\n")
        until = time.monotonic() + LONGEST_HOLD
        while _is_held(folder / HOLD, submission.student) and time.monotonic() < until:
            time.sleep(0.02)
        return Graded(_full_points(settings, submission))
    except Exception as error:  # as the real one does
        return ungraded(settings, submission, f"a fault of the grader ({error})")


def _is_held(hold: Path, student: str) -> bool:
    try:
        return hold.read_text() in ("", student)
    except FileNotFoundError:
        return False


def _full_points(settings: RunSettings, submission: Submission) -> Verdict:
    verdict = empty(settings, submission, "graded")
    results = [
        ExerciseResult(one.id, "answered", one.points, one.points, [_check(one.points)], [])
        for one in settings.assignment.exercises
    ]
    return replace(verdict, exercises=results, points=verdict.max_points)


def _check(points: float) -> CheckResult:
    return CheckResult("test_it", points, points, True, None)


def dask_setup(_: object) -> None:
    """Called by `dask worker`."""
    worker.prepare_worker = lambda settings: None
    worker.claim_a_processor = lambda: None
