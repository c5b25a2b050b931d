"""How much time a candidate has used: what the kernel's scheduler says of it, and of this thread."""

import contextlib
import os
import time

from autograder.engine.process import Usage

READ_BYTES = 128
NANOSECONDS = 1e9
GENEROUS = 8  # times as long passes for a student where nobody says how long a process waits


class UsageReader:
    """Reads the usage of one process, of which only the thread that made this may ask.

    In `/proc/PID/schedstat`, the kernel counts the nanoseconds for which a main thread ran, and for
    which it waited for a processor (Documentation/scheduler/sched-stats.rst). Where there is no such
    file, it is not `measured`, and the wall's clock goes slower instead.
    """

    def __init__(self, pid: int):
        self.clock = (~pid << 3) | 2  # of a process's CPU, as clock_getcpuclockid(3) makes it
        self.last, self.closed = Usage(0.0), False
        self.theirs, self.ours = (
            _open(f"/proc/{pid}/schedstat"),
            _open("/proc/thread-self/schedstat"),
        )
        self.measured = any(_read(self.theirs)) and any(_read(self.ours))

    def read(self) -> Usage:
        """Return the usage until now; once this is closed, what was read last."""
        if self.closed:
            return self.last
        cpu, waited, turns = self.last.cpu, self.last.waited, self.last.turns
        with contextlib.suppress(OSError):
            cpu = time.clock_gettime(self.clock)
        if not self.measured:
            self.last = Usage(time.monotonic() / GENEROUS, cpu)
            return self.last
        if theirs := _read(self.theirs):
            waited, turns = theirs[1] / NANOSECONDS, theirs[2]
        ours = sum(_read(self.ours)[:2]) / NANOSECONDS
        self.last = Usage(time.monotonic(), cpu, waited, ours, turns)
        return self.last

    def close(self) -> None:
        self.closed = True
        for descriptor in (self.theirs, self.ours):
            if descriptor >= 0:
                os.close(descriptor)


def _open(path: str) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1


def _read(descriptor: int) -> list[int]:
    """Nanoseconds of running and of waiting, and how often it ran; nothing where it is gone."""
    try:
        return [int(number) for number in os.pread(descriptor, READ_BYTES, 0).split()]
    except OSError:
        return []
