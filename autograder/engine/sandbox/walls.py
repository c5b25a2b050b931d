"""Start candidates behind walls."""

import contextlib
from collections.abc import Collection
from pathlib import Path

from autograder.engine.limits.process import NAMESPACES, PRACTICE, Limits, SandboxError
from autograder.engine.sandbox.self_test import try_walls
from autograder.engine.sandbox.warm_parent import ParentConnection, Process, WarmParent, connect


class Walls:
    """Starts candidates from a warm parent, whose walls are tested before its first candidate.

    `level` (NAMESPACES, LANDLOCK or PRACTICE) is part of every verdict's stamp. `why`: the reason if
    a better level does not work here, or "".
    """

    def __init__(
        self,
        level: str = NAMESPACES,
        why: str = "",
        hidden: tuple[Path, ...] = (),
        address: str | None = None,
    ):
        self.level = level
        self.why = why
        self.hidden = hidden  # paths of the host that the self-test looks for, such as the graders
        self.address = address  # of a `started.ListeningParent`, or None
        self.parent: ParentConnection | None = None
        self.is_tried = False

    def __reduce__(self) -> tuple:  # without the parent: each grading process starts its own
        return Walls, (self.level, self.why, self.hidden)

    def start(self, limits: Limits, needs: Collection[str] = ()) -> Process:
        """Start a candidate that has imported the modules `needs`, and wait until it is ready.

        Raise `SandboxError` if the walls fail the self-test or no candidate can be started.
        """
        return self._tried().start(limits, needs)

    def _tried(self) -> ParentConnection:
        """Return the running parent, whose walls have passed the self-test. Start it if needed."""
        if self.parent is None or not self.parent.lives():
            self.parent, self.is_tried = self._new(), False
        parent = self.parent
        if not self.is_tried:
            try:
                if self.level != PRACTICE:
                    try_walls(parent, self.hidden)
            except SandboxError:
                parent.close()
                raise
            self.is_tried = True
        return parent

    def _new(self) -> ParentConnection:
        """Return a new parent that is ready: forked by the listening parent at `address`, or else
        started as a separate process. Raise `SandboxError` if that fails, too.
        """
        if self.address and (shared := connect(self.address, self.level)):
            with contextlib.suppress(SandboxError):
                shared.await_ready()
                return shared
        parent = WarmParent(self.level)
        parent.await_ready()
        return parent

    def close(self) -> None:
        """End the warm parent. The next candidate is forked from a new parent."""
        if self.parent:
            self.parent.close()
            self.parent = None
