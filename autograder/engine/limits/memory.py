"""The memory of the machine, and a limit on how much of it this process allocates.

Each size that comes from a candidate has its own bound. This limit is a second wall: if such a bound
is missing, `MemoryError` ends the grading of a single submission, and the machine goes on.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from autograder.engine.candidate.memory import allocated_memory
from autograder.engine.limits.process import MEBIBYTE, Limits
from autograder.engine.texts.patterns import Pattern

EXAMINER_ROOM = 1024 * MEBIBYTE  # additional memory of this process for a submission
EXAMINER_MEMORY = 512 * MEBIBYTE  # unshared memory of an examiner after hundreds of submissions
# Shared by all workers of this machine: torch in the process that they are forked from, and in the
# warm parent. 350 MiB with a build for the processor, 750 MiB with the build on PyPI.
LIBRARIES_MEMORY = 768 * MEBIBYTE
CGROUPS = Path("/sys/fs/cgroup")
# torch's message. A student's text, such as a missing key of a dict, never has this form.
OF_TORCH = Pattern(r"\[enforce fail at alloc_cpu\.cpp:\d+\]")


@contextlib.contextmanager
def limited_memory(room: int = EXAMINER_ROOM) -> Iterator[None]:
    """Within this block, raise `MemoryError` if this process allocates more than `room` bytes more.

    The soft limit RLIMIT_DATA is set, and restored afterwards. It counts private writable memory,
    not mapped files. Systems that do not report a process's memory have no limit.
    """
    allocated = allocated_memory()
    if allocated is None:
        yield
        return
    import resource  # missing on Windows, which does not report a process's memory, either

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    finite = [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min([allocated.data + room, *finite]), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def raise_if_out_of_memory(error: BaseException) -> None:
    """Raise `MemoryError` if `error` says that this process has no memory left."""
    # torch raises a `RuntimeError` in that case
    of_torch = type(error) is RuntimeError and OF_TORCH.match(str(error))
    if isinstance(error, MemoryError) or of_torch:
        raise MemoryError("this process has reached its limit of memory") from error


def machine_memory() -> int:
    """Return the memory, in bytes, for all processes here together: the machine's memory, or the
    limit of their cgroup if that is less.
    """
    physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min([physical, *_cgroup_limits()])


def affordable_workers() -> int:
    """Return how many workers fit into the machine's memory, at least 1."""
    free = machine_memory() - LIBRARIES_MEMORY
    return max(1, free // (Limits.memory + EXAMINER_MEMORY))


def _cgroup_limits() -> Iterator[int]:
    """Yield the memory limits, in bytes, of this process's cgroups (version 1 or 2)."""
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
        cgroup = top / path.lstrip("/")
        for folder in (cgroup, *cgroup.parents):
            with contextlib.suppress(OSError, ValueError):  # there is no limit, or it is "max"
                yield int((folder / name).read_text())
            if folder == top:
                break
