"""The kernel's means of making a sandbox, as far as this host allows them."""

import ctypes
import subprocess
from functools import cache

from autograder import SandboxError
from autograder.engine.sandbox.bubblewrap import _find_bubblewrap

NO_NAMESPACES = "user namespaces are forbidden on this host"  # reasons to skip a test
NO_SANDBOX = f"{NO_NAMESPACES}, and its kernel has no Landlock"
LANDLOCK_CREATE_RULESET, VERSION = 444, 1  # linux/landlock.h: on every architecture
EMPTY = "--unshare-user --unshare-pid --unshare-net --unshare-ipc --ro-bind / / true".split()


@cache
def allows_namespaces() -> bool:
    """Whether bubblewrap can make the namespaces that the sandbox has."""
    try:
        command = [_find_bubblewrap(), *EMPTY]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except (OSError, SandboxError):
        return False


@cache
def has_landlock() -> bool:
    """Whether the kernel has Landlock, of any version."""
    libc = ctypes.CDLL(None)
    return libc.syscall(LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), VERSION) > 0
