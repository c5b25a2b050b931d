"""The walls of one grading process: they start candidates, and whatever that needs before."""

from pathlib import Path

from autograder.engine.process import NAMESPACES, PRACTICE, Limits, SandboxError
from autograder.engine.sandbox.self_test import try_walls
from autograder.engine.sandbox.warm_parent import Process, WarmParent


class Walls:
    """Starts candidates, from one warm parent. `level` goes into every verdict's stamp.

    Each process that grades has a parent of its own, whose walls are tested before its first
    candidate: a copy of this object that travels to another process leaves the parent behind.
    """

    def __init__(self, level: str = NAMESPACES, why: str = "", hidden: tuple[Path, ...] = ()):
        self.level = level
        self.why = why  # there are none, if somebody asked for the best that there is
        self.hidden = hidden  # paths of the host that the self-test looks for, such as the graders
        self.parent: WarmParent | None = None

    def __reduce__(self) -> tuple:
        return Walls, (self.level, "", self.hidden)

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
                try_walls(parent, self.hidden)
        except SandboxError:
            parent.close()
            raise
        return parent

    def close(self) -> None:
        """End the warm parent; the next candidate gets a new one."""
        if self.parent:
            self.parent.close()
            self.parent = None
