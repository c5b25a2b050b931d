"""The memory of the machine, and a limit on how much of it this process allocates.

Each size that comes from a candidate is bounded by itself. This limit is a second wall: if such a
bound is missing, `MemoryError` ends the grading of one submission, and the machine goes on.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from autograder.engine.candidate.memory import allocated_memory
from autograder.engine.limits.process import MEBIBYTE, Limits
from autograder.engine.texts.patterns import Pattern

EXAMINER_ROOM = 1024 * MEBIBYTE  # that one submission may take in this process, beyond what it has
EXAMINER_MEMORY = 512 * MEBIBYTE  # that an examiner has of its own after hundreds of submissions
# What all workers of this machine share: torch in the process that they are forked from, and in the
# warm parent. 350 MiB with a build for the processor, 750 MiB with the build on PyPI.
LIBRARIES_MEMORY = 768 * MEBIBYTE
CGROUPS = Path("/sys/fs/cgroup")
# How torch says it. A text of a student's, such as a name that is no key, never stands there.
OF_TORCH = Pattern(r"\[enforce fail at alloc_cpu\.cpp:\d+\]")


@contextlib.contextmanager
def limited_memory(room: int = EXAMINER_ROOM) -> Iterator[None]:
    """Within this block, let this process allocate at most `room` more bytes; beyond that,
    `MemoryError` is raised.

    The soft limit RLIMIT_DATA is set, and restored afterwards: it counts private writable memory,
    not mapped files. If the system does not say how much memory a process has, nothing is limited.
    """
    allocated = allocated_memory()
    if allocated is None:
        yield
        return
    import resource  # not on Windows, which does not say what a process has, either

    before, hard = resource.getrlimit(resource.RLIMIT_DATA)
    known = [limit for limit in (before, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min([allocated.data + room, *known]), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (before, hard))


def raise_if_out_of_memory(error: BaseException) -> None:
    """Raise `MemoryError` if `error` says that this process has no memory left; torch raises a
    `RuntimeError` in that case. Else do nothing.
    """
    of_torch = type(error) is RuntimeError and OF_TORCH.match(str(error))
    if isinstance(error, MemoryError) or of_torch:
        raise MemoryError("this process has reached its limit of memory") from error


def machine_memory() -> int:
    """Return how many bytes of memory the processes here may use together: the machine's memory, or
    the limit of their cgroup if that is less.
    """
    physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min([physical, *_cgroup_limits()])


def affordable_workers() -> int:
    """Return for how many workers the machine has memory, at least 1."""
    free = machine_memory() - LIBRARIES_MEMORY
    return max(1, free // (Limits.memory + EXAMINER_MEMORY))


def _cgroup_limits() -> Iterator[int]:
    """Yield the memory limits, in bytes, of the cgroups that this process is in, of cgroup version
    1 or 2.
    """
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers == "memory":
            top, name = CGROUPS / "memory", "memory.limit_in_bytes"
        elif not controllers:
            top, name = CGROUPS, "memory.max"
        else:
            continue
        own = top / path.lstrip("/")
        for folder in (own, *own.parents):
            with contextlib.suppress(OSError, ValueError):  # there is none, or it says "max"
                yield int((folder / name).read_text())
            if folder == top:
                break
