"""The interface of a started candidate, and the limits on its resources.

`sandbox/` starts candidates, and `examiner/` puts questions to them. Neither imports the other.
Both import this module.
"""

import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

from autograder.engine.texts.errors import NOT_GRADED, AutograderError

if TYPE_CHECKING:  # it imports torch, and limits are read without
    from autograder.engine.candidate.channel import Channel

MEBIBYTE = 1 << 20
# for a process that forks with torch in it: large pages have fewer page tables, which a fork copies
LARGE_PAGES = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
NAMESPACES, LANDLOCK, PRACTICE = "namespaces", "landlock", "practice"  # levels of the sandbox
WALLED = NAMESPACES, LANDLOCK  # in the order in which they are tried; practice has no walls
REQUIRE = "require"  # the first of WALLED that passes its self-test

ELSEWHERE = (
    "Grading needs Linux, whose kernel makes the walls: on Windows use WSL, on macOS a virtual "
    "machine, or on either the container of this project."
)
# seconds for a processor; a process that the scheduler slows down thirty times waits for longer
SHORT_WAIT = 0.02
SLOWDOWN = 30  # real time that may pass, at most, as a multiple of a student's time
ATTEMPTS = 3  # at examining a submission, before it is `not_graded`


class SandboxError(AutograderError):
    """This machine cannot build the walls, or has no time to grade.

    The verdict is `not_graded`, never zero points.
    """

    status = NOT_GRADED


def refuse_elsewhere(sandbox: str) -> None:
    """Raise `SandboxError` if grading is impossible on this operating system.

    `sandbox`: the value of `--sandbox`. "require" and "namespaces" need Linux. "auto" and "off" do
    not work on Windows.
    """
    # Windows does not have the sockets on which a candidate answers
    if sys.platform == "win32" or (sys.platform != "linux" and sandbox in (REQUIRE, NAMESPACES)):
        raise SandboxError(ELSEWHERE)


@dataclass(frozen=True)
class Limits:
    """The limits on a submission.

    Seconds are a student's time (see `Usage`), independent of other processes, except that
    `diagnosis_seconds` is CPU time of the examiner. A correct submission takes about 0.2 seconds in
    all, 0.01 for a cell and 0.005 for a request, so even a machine that is a hundred times slower
    can grade it. Sizes are in bytes.
    """

    cell_seconds: float = 10.0
    cells_seconds: float = 30.0
    request_seconds: float = 5.0
    exercise_seconds: float = 10.0
    exercises_seconds: float = 60.0
    diagnosis_seconds: float = 12.0
    # beyond the libraries, whose size differs with the build; right submissions take up to 112 MiB
    memory: int = 1280 * MEBIBYTE
    file_size: int = 64 * MEBIBYTE
    open_files: int = 256

    @property
    def total_seconds(self) -> float:
        """The limit on a student's time for all cells and exercises together, in seconds."""
        return self.cells_seconds + self.exercises_seconds

    @property
    def cpu_seconds(self) -> int:
        """The limit on seconds of CPU for all threads of a candidate, which the kernel enforces."""
        # Twice the limit of `Clock`, which ends a candidate earlier: the kernel counts clock ticks,
        # and a candidate can cause more ticks than the time that it used.
        return int(2 * self.total_seconds)

    def seconds_of_each(self, exercises: int) -> float:
        """Return the seconds for each exercise of an assignment with so many exercises."""
        return min(self.exercise_seconds, self.exercises_seconds / max(1, exercises))

    @property
    def backstop_seconds(self) -> float:
        """The seconds of real time for grading a submission, with all retries.

        When they have passed, `Clock` ends the running attempt.
        """
        return SLOWDOWN * self.total_seconds

    @property
    def alarm_seconds(self) -> int:
        """The seconds of real time after which a worker with the same submission ends itself."""
        return int(1.25 * self.backstop_seconds)

    def inside(self) -> dict[str, int]:
        """Return the limits that the candidate sets on itself: the arguments of
        `candidate.walls.limit`.
        """
        return {
            "memory": self.memory,
            "cpu_seconds": self.cpu_seconds,
            "file_size": self.file_size,
            "open_files": self.open_files,
        }


class Thread(NamedTuple):
    """The scheduler's counts for a thread since it started."""

    waited: float = 0.0  # seconds, for a processor
    turns: int = 0  # on a processor

    def since(self, begin: "Thread") -> "Thread":
        """Return the difference to `begin`, an earlier count."""
        return Thread(self.waited - begin.waited, self.turns - begin.turns)


@dataclass(frozen=True)
class Usage:
    """The usage of a candidate up to a moment, in seconds."""

    wall: float
    cpu: float = 0.0  # of all its threads
    threads: Mapping[int, Thread] = field(default_factory=dict)  # its current threads, by number
    ours: float = 0.0  # the examiner's thread was running, or waited for a processor
    work: float = 0.0  # the examiner's thread was running

    def since(self, begin: "Usage") -> float:
        """Return the student's time since `begin`, an earlier usage, in seconds.

        It is the CPU time or, if that is more, the wall time without waits for a processor or for
        the examiner. It is never less than the time that the examiner worked for the candidate.
        """
        free = self.longest_wait(begin).waited + self.ours - begin.ours
        charged = self.wall - begin.wall - free
        return max(self.cpu - begin.cpu, self.work - begin.work, charged)

    def longest_wait(self, begin: "Usage") -> Thread:
        """Return the counts, since `begin`, of the thread that waited longest for a processor."""
        # not the sum over threads: the other threads may wait for this thread
        threads = self.threads.items()
        waits = (now.since(begin.threads.get(number, Thread())) for number, now in threads)
        return max(waits, default=Thread())

    def gave_way(self, begin: "Usage") -> bool:
        """Whether the candidate gave the processor away again and again, as `sched_yield` does.

        Then its waits since `begin` are shorter than SHORT_WAIT on average.
        """
        waited, turns = self.longest_wait(begin)
        return waited < SHORT_WAIT * turns


class CandidateProcess(Protocol):
    """A started candidate. Every method raises `SandboxError` for a fault of the machine."""

    channel: "Channel"  # for questions and answers
    measured: bool  # the system reports how long it waits for a processor

    def usage(self) -> Usage:
        """Return the usage of the candidate until now."""

    def ran_out_of_cpu(self) -> bool:
        """Whether the limit on CPU time ended a candidate that has closed its channel."""

    def end(self) -> object:
        """Kill the candidate, and wait until all its processes have ended."""


class CandidateSource(Protocol):
    """Starts candidates: `sandbox.Walls`, or a class of a test."""

    level: str  # NAMESPACES, LANDLOCK or PRACTICE, which goes into every verdict
    why: str  # why no better level works here, or ""

    def start(self, limits: Limits, needs: Collection[str] = ()) -> CandidateProcess:
        """Start a candidate that has imported the modules `needs`, and wait until it is ready.

        Raise `SandboxError` if that fails.
        """

    def close(self) -> None:
        """End the process from which candidates are forked. The next `start` starts another."""
