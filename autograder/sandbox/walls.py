"""Walls as a grader holds them: start a candidate, whatever has to be warmed up for that."""

from autograder.sandbox.errors import SandboxError
from autograder.sandbox.limits import Limits
from autograder.sandbox.self_test import try_walls
from autograder.sandbox.warm_parent import Process, WarmParent
from autograder.stamp import NAMESPACES, PRACTICE


class Walls:
    """Starts candidates, from one warm parent. `level` goes into every verdict's stamp.

    Each process that grades has a parent of its own, whose walls are tested before its first
    candidate: a copy of this object that travels to another process leaves the parent behind.
    """

    def __init__(self, level: str = NAMESPACES, why: str = ""):
        self.level = level
        self.why = why  # there are none, if somebody asked for the best that there is
        self.parent: WarmParent | None = None

    def __reduce__(self) -> tuple:
        return Walls, (self.level,)

    def start(self, limits: Limits) -> Process:
        """Start a candidate that waits for questions. Raises `SandboxError`."""
        if self.parent is None or not self.parent.lives():
            self.parent = self._warm_up()
        return self.parent.start(limits)

    def _warm_up(self) -> WarmParent:
        walled = self.level != PRACTICE
        parent = WarmParent(walled)
        try:
            if walled:
                try_walls(parent)
        except SandboxError:
            parent.close()
            raise
        return parent

    def close(self) -> None:
        """End the warm parent; the next candidate gets a new one."""
        if self.parent:
            self.parent.close()
            self.parent = None
