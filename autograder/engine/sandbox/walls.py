"""The walls of one grading process: they start candidates, and whatever that needs before."""

import socket
from collections.abc import Collection
from pathlib import Path

from autograder.engine.process import NAMESPACES, PRACTICE, Limits, SandboxError
from autograder.engine.sandbox.self_test import try_walls
from autograder.engine.sandbox.started import Started
from autograder.engine.sandbox.warm_parent import Parent, Process, WarmParent


class Walls:
    """Starts candidates, from one warm parent. `level` goes into every verdict's stamp.

    Each process that grades has a parent of its own, whose walls are tested before its first
    candidate: a copy of this object that travels to another process leaves the parent behind.
    """

    def __init__(self, level: str = NAMESPACES, why: str = "", hidden: tuple[Path, ...] = ()):
        self.level = level
        self.why = why  # there are none, if somebody asked for the best that there is
        self.hidden = hidden  # paths of the host that the self-test looks for, such as the graders
        self.parent: Parent | None = None
        self.is_tried = False

    def __reduce__(self) -> tuple:
        return Walls, (self.level, "", self.hidden)

    def begin(self, started: Started | None = None) -> None:
        """Begin with this warm parent, or with a new one; it is tried later. Raises `SandboxError`."""
        self.parent, self.is_tried = WarmParent(self.level != PRACTICE, started), False

    def start(self, limits: Limits, needs: Collection[str] = ()) -> Process:
        """Start a candidate that waits for questions, and has imported what it `needs`.

        Raises `SandboxError`.
        """
        return self._tried().start(limits, needs)

    def share(self) -> socket.socket:
        """Fork another warm parent, behind the same walls; return the control socket of it, for
        `take`. Raises `SandboxError`.
        """
        parent = self._tried()
        assert isinstance(parent, WarmParent), "a parent that was shared cannot be shared again"
        return parent.share()

    def take(self, control: socket.socket, processor: int | None) -> None:
        """In a forked process: use the parent that was shared, and keep it on this processor."""
        if isinstance(self.parent, WarmParent):
            self.parent.leave_to_others()
        self.parent, self.is_tried = Parent(control, self.level != PRACTICE), True
        if processor is not None:
            self.parent.stay_on(processor)

    def _tried(self) -> Parent:
        """The living parent, whose walls were tried."""
        if self.parent is None or not self.parent.lives():
            self.begin()
        parent = self.parent
        assert parent
        if not self.is_tried and isinstance(parent, WarmParent):
            try:
                parent.await_ready()
                if parent.walled:
                    try_walls(parent, self.hidden)
            except SandboxError:
                parent.close()
                raise
            self.is_tried = True
        return parent

    def close(self) -> None:
        """End the warm parent; the next candidate gets a new one."""
        if self.parent:
            self.parent.close()
            self.parent = None
