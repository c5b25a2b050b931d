"""The machine's memory, and a limit on what this process takes of it.

Each size that comes from a candidate is bounded by itself. This limit is the second wall: where a
bound is missing, `MemoryError` ends one submission, and not the machine.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from autograder.engine.limits.process import MEBIBYTE, Limits
from autograder.text.patterns import Pattern

EXAMINER_ROOM = 1024 * MEBIBYTE  # that one submission may take in this process, beyond what it has
EXAMINER_MEMORY = 768 * MEBIBYTE  # that a process that grades has after hundreds of submissions
CGROUPS = Path("/sys/fs/cgroup")
# How torch says it. A text of a student's, such as a name that is no key, never stands there.
OF_TORCH = Pattern(r"\[enforce fail at alloc_cpu\.cpp:\d+\]")


@contextlib.contextmanager
def limited_memory(room: int = EXAMINER_ROOM) -> Iterator[None]:
    """Within this block, let this process allocate at most `room` more bytes; then it raises
    `MemoryError`.

    The soft limit RLIMIT_DATA is set and restored afterwards: it counts private writable memory,
    not files that are mapped. Where the system does not say how much a process has, nothing is
    limited.
    """
    had = _own_memory()
    if had is None:
        yield
        return
    import resource  # not on Windows, which does not say what a process has, either

    before, hard = resource.getrlimit(resource.RLIMIT_DATA)
    known = [limit for limit in (before, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min([had + room, *known]), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (before, hard))


def raise_if_out_of_memory(error: BaseException) -> None:
    """Raise `MemoryError` if the error says that this process has no memory left; torch raises a
    `RuntimeError` then.
    """
    of_torch = type(error) is RuntimeError and OF_TORCH.match(str(error))
    if isinstance(error, MemoryError) or of_torch:
        raise MemoryError("this process has reached its limit of memory") from error


def machine_memory() -> int:
    """Return how many bytes of memory all processes here may use: the machine's, or their cgroup's."""
    physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min([physical, *_cgroup_limits()])


def affordable_workers() -> int:
    """Return how many workers the machine has memory for, at least one."""
    return max(1, machine_memory() // (Limits.memory + EXAMINER_MEMORY))


def _own_memory() -> int | None:
    """Return how many bytes of private writable memory this process has, touched or not; None if
    unknown.
    """
    try:
        pages = Path("/proc/self/statm").read_text().split()[5]
    except OSError:
        return None
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def _cgroup_limits() -> Iterator[int]:
    """Yield the memory limits of the cgroups that this process is in, of version 1 or 2."""
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
