"""Imported by a forkserver, as `autograder.engine.grading.grade` otherwise is: its workers have no Landlock."""

import subprocess
import sys
from typing import IO

from autograder.engine.grading import grade  # noqa: F401  # what the forkserver imports beforehand
from autograder.engine.limits import LANDLOCK
from autograder.engine.sandbox import started


def fail(control: int, complaints: IO[bytes], folder: str) -> subprocess.Popen:
    """Start a process that ends as a warm parent does whose kernel has no Landlock."""
    code = "raise OSError(38, 'Landlock: Function not implemented')"
    return subprocess.Popen([sys.executable, "-c", code], stdout=complaints, stderr=complaints)


started.STARTERS[LANDLOCK] = fail
