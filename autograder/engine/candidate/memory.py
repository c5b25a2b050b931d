"""The memory that this process has allocated, as the kernel counts it for its limits."""

import mmap
import os
from typing import NamedTuple


class AllocatedMemory(NamedTuple):
    """Bytes that a process has allocated, used or not."""

    address_space: int  # what RLIMIT_AS limits
    data: int  # what RLIMIT_DATA limits: private writable memory, and the stack


def allocated_memory() -> AllocatedMemory | None:
    """Return the memory that this process has allocated, or None if the system does not report it."""
    try:
        with open("/proc/self/statm") as file:
            pages = file.read().split()
    except OSError:
        return None
    page_size = os.sysconf("SC_PAGE_SIZE")
    return AllocatedMemory(int(pages[0]) * page_size, int(pages[5]) * page_size)


def has_room(size: int) -> bool:
    """Whether this process may allocate `size` more bytes."""
    try:
        mmap.mmap(-1, size, mmap.MAP_PRIVATE).close()
    except (OSError, MemoryError):
        return False
    return True
