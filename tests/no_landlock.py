"""Imported by a forkserver, as `autograder.engine.grade` otherwise is: its workers have no Landlock."""

from autograder.engine import grade  # noqa: F401  # what the forkserver imports beforehand
from autograder.engine.limits.process import LANDLOCK, SandboxError
from autograder.engine.sandbox import started


def refuse(*_: object) -> None:
    """Fail as a kernel without Landlock does."""
    raise SandboxError("OSError: [Errno 38] Landlock: Function not implemented")


started.STARTERS[LANDLOCK] = refuse
