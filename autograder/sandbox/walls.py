"""How candidates are started on this machine, what they may use, and how they end for sure."""

import socket
import time
from dataclasses import dataclass

from autograder.channel import Channel, ChannelError
from autograder.sandbox.bubblewrap import SandboxError
from autograder.sandbox.warm_parent import WarmParent

NAMESPACES, PRACTICE = "namespaces", "practice"  # levels: all walls, or none
START_SECONDS = 20.0
MEBIBYTE = 1 << 20


@dataclass(frozen=True)
class Limits:
    """What one candidate may use: seconds of wall clock and CPU, bytes, descriptors."""

    cell_seconds: float = 30.0
    request_seconds: float = 15.0
    total_seconds: float = 180.0
    memory: int = 4096 * MEBIBYTE
    file_size: int = 64 * MEBIBYTE
    open_files: int = 256

    def inside(self) -> dict[str, int]:
        """The part of them that the candidate puts on itself, before it meets any student's code."""
        return {
            "memory": self.memory,
            "cpu_seconds": int(self.total_seconds),
            "file_size": self.file_size,
            "open_files": self.open_files,
        }


class Process:
    """A started candidate: its channel, and the one way to end it."""

    def __init__(self, parent: WarmParent, number: int, channel: Channel, limits: Limits):
        self.parent = parent
        self.number = number  # of the process, as the parent counts
        self.channel = channel
        self.limits = limits

    def ran_out_of_cpu(self) -> bool:
        """Whether the limit on CPU time ended it. Raises `SandboxError` if the parent is gone, too."""
        ended = self.parent.wait(self.number)
        return ended is not None and ended.cpu_seconds >= int(self.limits.total_seconds)

    def end(self) -> None:
        """Kill everything behind the walls and wait until it is gone. Raises `SandboxError`."""
        self.channel.close()
        self.parent.end(self.number)


class Walls:
    """Starts candidates, from one warm parent. `level` goes into every verdict's stamp.

    Each process that grades has a parent of its own: a copy of this object that travels to another
    process leaves the parent behind and starts one there.
    """

    def __init__(self, level: str = NAMESPACES):
        self.level = level
        self._parent: WarmParent | None = None

    def __reduce__(self) -> tuple:
        return Walls, (self.level,)

    def start(self, limits: Limits) -> Process:
        """Start a candidate that waits for questions. Raises `SandboxError`."""
        if self._parent is None or not self._parent.lives():
            self._parent = WarmParent(walled=self.level != PRACTICE)
        ours, theirs = socket.socketpair()
        with theirs:
            number = self._parent.start(theirs.fileno(), limits.inside())
        process = Process(self._parent, number, Channel(ours), limits)
        try:
            answer = process.channel.receive(time.monotonic() + START_SECONDS)
        except ChannelError as error:
            process.end()
            raise SandboxError(f"a candidate did not come up: {error}") from error
        if "refused" in answer:
            process.end()
            raise SandboxError(f"a candidate could not be walled in: {answer['refused']}")
        return process

    def close(self) -> None:
        """End the warm parent; the next candidate gets a new one."""
        if self._parent:
            self._parent.close()
            self._parent = None
