"""The interface of a started candidate, and the limits on what it may use.

`sandbox/` starts candidates, and `examiner/` puts questions to them. Neither imports the other;
both import this module.
"""

import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

from autograder.engine.texts.errors import NOT_GRADED, AutograderError

if TYPE_CHECKING:  # it imports torch, and limits are read without
    from autograder.engine.candidate.channel import Channel

MEBIBYTE = 1 << 20
# of a process that forks with torch in it: a fork copies page tables, of large pages a fraction
LARGE_PAGES = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
NAMESPACES, LANDLOCK, PRACTICE = "namespaces", "landlock", "practice"  # levels of the sandbox
WALLED = NAMESPACES, LANDLOCK  # in the order in which they are tried; practice has no walls
REQUIRE = "require"  # of a run: the first of WALLED that passes its self-test

ELSEWHERE = (
    "Grading needs Linux, whose kernel makes the walls: on Windows use WSL, on macOS a virtual "
    "machine, or on either the container of this project."
)
SHORT_WAIT = 0.02  # seconds; who is made to wait thirty times as long as they run waits for longer
SLOWDOWN = 30  # so much longer than a student's time may pass on the wall's clock, at most
ATTEMPTS = 3  # at examining a submission, before it is not graded


class SandboxError(AutograderError):
    """This machine cannot build the walls, or has no time to grade: the verdict is `not_graded`,
    never zero points.
    """

    status = NOT_GRADED


def refuse_elsewhere(sandbox: str) -> None:
    """Raise `SandboxError` if grading is not possible on this operating system, whatever is
    installed. `sandbox`: the value of `--sandbox`. With "require" or "namespaces", it is only possible on Linux;
    with "auto" and "off", not on Windows, which does not have the sockets on which a candidate
    answers.
    """
    if sys.platform == "win32" or (sys.platform != "linux" and sandbox in (REQUIRE, NAMESPACES)):
        raise SandboxError(ELSEWHERE)


@dataclass(frozen=True)
class Limits:
    """The limits on a submission: seconds for a cell, all cells, a request, an exercise and all
    exercises; seconds of CPU for the diagnosis of an exercise; bytes of memory and of a file; open
    files. Memory is counted from what the libraries take, which differs with the build of torch.

    Seconds are a student's time (see `Usage`), the same for everybody, whatever else runs. A
    correct submission takes about 0.2 seconds in all, 0.01 for a cell and 0.005 for a request, so
    even a machine that is a hundred times slower can grade it.
    """

    cell_seconds: float = 10.0
    cells_seconds: float = 30.0
    request_seconds: float = 5.0
    exercise_seconds: float = 10.0
    exercises_seconds: float = 60.0
    diagnosis_seconds: float = 12.0
    memory: int = 1280 * MEBIBYTE  # beyond the libraries; right submissions take up to 112 MiB
    file_size: int = 64 * MEBIBYTE
    open_files: int = 256

    @property
    def total_seconds(self) -> float:
        """The limit on a student's time (see `Usage`) for a whole submission, in seconds: all its
        cells and all its exercises together.
        """
        return self.cells_seconds + self.exercises_seconds

    @property
    def cpu_seconds(self) -> int:
        """The limit on seconds of CPU for all threads of a candidate, which the kernel enforces. It
        is twice `total_seconds`, and `Clock` ends a candidate earlier: the kernel counts clock
        ticks, and a candidate can cause more of them than the time that it used.
        """
        return int(2 * self.total_seconds)

    def seconds_of_each(self, exercises: int) -> float:
        """Return the seconds for each exercise of an assignment with this number of exercises."""
        return min(self.exercise_seconds, self.exercises_seconds / max(1, exercises))

    @property
    def backstop_seconds(self) -> float:
        """The seconds of real time that grading one submission may take, all retries included. When
        they have passed, `Clock` ends the attempt that is running.
        """
        return SLOWDOWN * self.total_seconds

    @property
    def alarm_seconds(self) -> int:
        """The seconds of real time after which a worker ends itself if it is still busy with the
        same submission.
        """
        return int(1.25 * self.backstop_seconds)

    def inside(self) -> dict[str, int]:
        """Return the limits that the candidate sets on itself before it runs any of the student's
        code, as the arguments of `candidate.walls.limit`.
        """
        return {
            "memory": self.memory,
            "cpu_seconds": self.cpu_seconds,
            "file_size": self.file_size,
            "open_files": self.open_files,
        }


class Thread(NamedTuple):
    """What the scheduler has counted for one thread since it started: for how many seconds it
    waited for a processor, and how often it got one.
    """

    waited: float = 0.0  # seconds, for a processor
    turns: int = 0  # on a processor

    def since(self, begin: "Thread") -> "Thread":
        """Return what was counted between `begin`, an earlier count, and this one."""
        return Thread(self.waited - begin.waited, self.turns - begin.turns)


@dataclass(frozen=True)
class Usage:
    """What a candidate has used up to a moment, in seconds: `wall` time; `cpu` time of all its
    threads; `threads`: the waits of each thread, by its number; `ours`: for how long the examiner's
    thread ran or waited for a processor; `work`: for how long it ran.
    """

    wall: float
    cpu: float = 0.0  # of all its threads
    threads: Mapping[int, Thread] = field(default_factory=dict)  # that it has now, by number
    ours: float = 0.0  # the examiner's thread was running, or waited for a processor
    work: float = 0.0  # it was running

    def since(self, begin: "Usage") -> float:
        """Return the student's time between `begin`, an earlier usage, and this one, in seconds.

        It is the CPU time or, if that is more, the wall time without waits for a processor or for
        the examiner. It is never less than the time that the examiner worked for the candidate.
        """
        free = self.longest_wait(begin).waited + self.ours - begin.ours
        own = self.wall - begin.wall - free
        return max(self.cpu - begin.cpu, self.work - begin.work, own)

    def longest_wait(self, begin: "Usage") -> Thread:
        """Return how long, and how often, the thread that waited longest for a processor has waited
        for it since `begin`, an earlier usage. One thread stands for all, because the others may
        wait for that one.
        """
        threads = self.threads.items()
        waits = (now.since(begin.threads.get(number, Thread())) for number, now in threads)
        return max(waits, default=Thread())

    def gave_way(self, begin: "Usage") -> bool:
        """Whether the candidate gave the processor away again and again, as `sched_yield` does,
        instead of being kept from it: since `begin`, an earlier usage, each of its waits for a
        processor was shorter than SHORT_WAIT on average.
        """
        waited, turns = self.longest_wait(begin)
        return waited < SHORT_WAIT * turns


class CandidateProcess(Protocol):
    """A started candidate. `channel`: where it is asked and answers; `measured`: whether the system
    says how long it waits for a processor. Every method raises `SandboxError` for a fault of the
    machine.
    """

    channel: "Channel"
    measured: bool  # the system says how long it waits for a processor

    def usage(self) -> Usage:
        """Return what the candidate has used until now."""

    def ran_out_of_cpu(self) -> bool:
        """Whether the limit on CPU time ended a candidate that has closed its channel."""

    def end(self) -> object:
        """Kill the candidate; return when none of its processes is left."""


class CandidateSource(Protocol):
    """Starts candidates: `sandbox.Walls`, or a class of a test. `level`: NAMESPACES, LANDLOCK or
    PRACTICE, which goes into every verdict; `why`: why no better level works here, or "".
    """

    level: str
    why: str

    def start(self, limits: Limits, needs: Collection[str] = ()) -> CandidateProcess:
        """Start a candidate that has imported the modules `needs`; return it when it is ready for
        questions.

        Raise `SandboxError` if that fails.
        """

    def close(self) -> None:
        """End the process from which candidates are forked; the next `start` starts another."""
