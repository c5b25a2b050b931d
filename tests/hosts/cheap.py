"""What takes the place of walls and graders on workers: everything around it is real.

A worker loads it with `dask worker --preload tests.hosts.cheap`: it then needs no torch and no walls.
"""

import os
import time
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

from msgspec.structs import replace

from autograder import ExerciseResult
from autograder.classroom import worker
from autograder.engine import Graded, RunSettings, Submission
from autograder.engine.grading.graded import empty

HOLD, STARTED = "hold", "started"  # files in a host's temporary folder
LONGEST_HOLD = 100.0  # seconds


@dataclass(frozen=True)
class CheapGrader:
    """Gives full points."""

    settings: RunSettings
    walls = SimpleNamespace(close=lambda: None)

    def grade_submission(self, submission: Submission) -> Graded:
        """Write who is graded, and wait while this host's file `hold` is there, and names this student
        or nobody. Raises `OSError` where there is no room to write.
        """
        folder = Path(os.environ["TMPDIR"])
        with (folder / STARTED).open("a") as file:
            file.write(f"{submission.student}\n")
        until = time.monotonic() + LONGEST_HOLD
        while _is_held(folder / HOLD, submission.student) and time.monotonic() < until:
            time.sleep(0.02)
        verdict = empty(self.settings, submission, "graded")
        results = [
            ExerciseResult(one.id, "answered", one.points, one.points, [], [])
            for one in self.settings.assignment.exercises
        ]
        full = replace(verdict, exercises=results, points=verdict.max_points)
        return Graded(full, submission=submission)


def _is_held(hold: Path, student: str) -> bool:
    try:
        return hold.read_text() in ("", student)
    except FileNotFoundError:
        return False


def dask_setup(_: object) -> None:
    """Called by `dask worker`."""
    worker.prepare_worker = CheapGrader
    worker.claim_a_processor = lambda: None
