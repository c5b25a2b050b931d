"""Read how much time a candidate has used, from the kernel's scheduler."""

import contextlib
import os
import time
from collections.abc import Mapping

from autograder.engine.limits.process import Thread, Usage

READ_BYTES = 128
ALONE = 3  # links of the folder of threads: two, and one for each thread
MOST_THREADS = 256  # whose usage is read
NANOSECONDS = 1e9
GENEROUS = 8  # wall seconds that count as a second where the kernel does not report waits


class UsageReader:
    """Reads the usage of the process `pid`. Only the thread that made this object may read.

    In `/proc/PID/schedstat`, the kernel counts the nanoseconds for which the main thread ran, and
    for which it waited for a processor (Documentation/scheduler/sched-stats.rst). `task/` has the
    same for other threads. On a machine without such files, `measured` is False, and a fraction of
    the wall time counts instead.
    """

    def __init__(self, pid: int):
        self.pid = pid
        self.clock = (~pid << 3) | 2  # of a process's CPU, as clock_getcpuclockid(3) makes it
        self.last, self.closed = Usage(0.0), False
        self.theirs, self.ours = (
            _open(f"/proc/{pid}/schedstat"),
            _open("/proc/thread-self/schedstat"),
        )
        self.measured = any(_read(self.theirs)) and any(_read(self.ours))

    def read(self) -> Usage:
        """Return the usage of the process until now. After `close`, return the last result again."""
        if self.closed:
            return self.last
        cpu = self.last.cpu
        with contextlib.suppress(OSError):
            cpu = time.clock_gettime(self.clock)
        if not self.measured:
            self.last = Usage(time.monotonic() / GENEROUS, cpu)
            return self.last
        ran, waited, *_ = _read(self.ours)
        busy, work = (ran + waited) / NANOSECONDS, ran / NANOSECONDS
        self.last = Usage(time.monotonic(), cpu, self._threads(), busy, work)
        return self.last

    def _threads(self) -> Mapping[int, Thread]:
        """Return the counts of each running thread by its number."""
        if not (main := _thread(_read(self.theirs))):
            return self.last.threads
        threads = {self.pid: main}
        tasks = f"/proc/{self.pid}/task"
        with contextlib.suppress(OSError):
            if os.stat(tasks).st_nlink > ALONE:
                for name in os.listdir(tasks)[:MOST_THREADS]:
                    descriptor = _open(f"{tasks}/{name}/schedstat")
                    if descriptor >= 0 and (thread := _thread(_read(descriptor))):
                        threads.setdefault(int(name), thread)
                    _close(descriptor)
        return threads

    def close(self) -> None:
        """Close the files. From now on, `read` returns its last result."""
        self.closed = True
        _close(self.theirs)
        _close(self.ours)


def _open(path: str) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1


def _close(descriptor: int) -> None:
    if descriptor >= 0:
        os.close(descriptor)


def _thread(numbers: list[int]) -> Thread | None:
    return Thread(numbers[1] / NANOSECONDS, numbers[2]) if numbers else None


def _read(descriptor: int) -> list[int]:
    """Return the numbers in a file `schedstat`: nanoseconds of running and of waiting, and number of
    turns. The list is empty if the process has ended.
    """
    try:
        return [int(number) for number in os.pread(descriptor, READ_BYTES, 0).split()]
    except OSError:
        return []
