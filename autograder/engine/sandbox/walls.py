"""The walls of one grading process, which starts candidates behind them."""

import contextlib
from collections.abc import Collection
from pathlib import Path

from autograder.engine.limits.process import NAMESPACES, PRACTICE, Limits, SandboxError
from autograder.engine.sandbox.self_test import try_walls
from autograder.engine.sandbox.warm_parent import ParentConnection, Process, WarmParent, connect


class Walls:
    """Starts candidates from one warm parent.

    `level` (NAMESPACES, LANDLOCK or PRACTICE) is part of every verdict's stamp; `why`: the reason if
    a better level was wanted, and does not work; `hidden`: paths of the host that candidates must
    not see; `address`: that of a `ListeningParent`, or None. Each process that grades has a warm
    parent of its own, whose walls are tested before its first candidate: a pickled copy of this
    object has none.
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
        self.address = address  # where a warm parent forks others; see `started.ListeningParent`
        self.parent: ParentConnection | None = None
        self.is_tried = False

    def __reduce__(self) -> tuple:
        return Walls, (self.level, self.why, self.hidden)

    def start(self, limits: Limits, needs: Collection[str] = ()) -> Process:
        """Start a candidate that has imported the modules `needs`; return it when it is ready for
        questions.

        Raise `SandboxError` if the walls fail the self-test or no candidate can be started.
        """
        return self._tried().start(limits, needs)

    def _tried(self) -> ParentConnection:
        """Return a running parent whose walls have passed the self-test; start one if needed. Raise
        `SandboxError` if that fails.
        """
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
        """Return a new parent that is ready: forked by the one that listens at `address`. If none
        does, or it fails, start another as a process of its own, which reports why it fails. Raise
        `SandboxError` in that case.
        """
        if self.address and (shared := connect(self.address, self.level)):
            with contextlib.suppress(SandboxError):
                shared.await_ready()
                return shared
        parent = WarmParent(self.level)
        parent.await_ready()
        return parent

    def close(self) -> None:
        """End the warm parent; the next candidate is forked from a new one."""
        if self.parent:
            self.parent.close()
            self.parent = None
