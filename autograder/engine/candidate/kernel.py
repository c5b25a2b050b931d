"""Linux system calls for which Python 3.11 has no function. Each raises `OSError` if it fails."""

import ctypes
import os
import signal
import time

NEW_MOUNT, NEW_UTS, NEW_IPC = 0x00020000, 0x04000000, 0x08000000  # linux/sched.h
NEW_USER, NEW_PID, NEW_NET = 0x10000000, 0x20000000, 0x40000000
READ_ONLY, NO_SUID, NO_DEV, NO_EXEC = 1, 2, 4, 8  # linux/mount.h
SET_DEATH_SIGNAL, SET_DUMPABLE, SET_SECCOMP, SET_NO_NEW_PRIVS = 1, 4, 22, 38  # linux/prctl.h
FILTER = 2  # linux/seccomp.h
CAPABILITY_VERSION = 0x20080522  # linux/capability.h: two words a set
ENDING_SECONDS, POLL_SECONDS = 2.0, 0.01  # for a thread that is about to end

_libc = ctypes.CDLL(None, use_errno=True)


def unshare(flags: int) -> None:
    """Move this process into new namespaces; `flags` says which, e.g. NEW_MOUNT | NEW_NET. A new
    pid namespace holds only the children that the process forks later, not itself.
    """
    _call("unshare", ctypes.c_int(flags))


def set_namespace(fd: int, kind: int) -> None:
    """Move this process into the namespace that the descriptor `fd` is open on. A pid namespace
    then holds only the children that the process forks later, not itself.

    `kind`: the flag of the namespace, such as NEW_PID.
    """
    _call("setns", ctypes.c_int(fd), ctypes.c_int(kind))


def mount_private(folder: str, options: str, flags: int) -> None:
    """Mount a tmpfs over a folder; only this mount namespace sees it.

    `options`: those of the tmpfs, such as its size; `flags`: those of the mount, such as READ_ONLY.
    """
    _call("mount", b"tmpfs", os.fsencode(folder), b"tmpfs", ctypes.c_ulong(flags), options.encode())


def map_ids(uid: int, gid: int) -> None:
    """Have the user id `uid` and the group id `gid` mean the same inside the user namespace that
    this process has just entered as outside of it.
    """
    for name, line in (
        ("setgroups", "deny"),
        ("uid_map", f"{uid} {uid} 1"),
        ("gid_map", f"{gid} {gid} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(line)


def become(uid: int) -> None:
    """Change to the user `uid` and to the group with the same number, for good; the process stays
    the owner of its own entries in /proc.
    """
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    _call("prctl", *map(ctypes.c_ulong, (SET_DUMPABLE, 1, 0, 0, 0)))


def end_with_parent(parent: int) -> None:
    """Have the kernel kill this process when its parent, process number `parent`, ends. Exit at
    once if the parent has already ended.
    """
    set_death_signal()
    if os.getppid() != parent:
        os._exit(0)


def set_death_signal() -> None:
    """Have the kernel kill this process when its parent ends. A later change of user or
    capabilities undoes this.
    """
    _call("prctl", *map(ctypes.c_ulong, (SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)))


def threads() -> int:
    """Return how many threads this process has, including those of libraries. If there are several,
    wait a moment for those that are about to end: matplotlib runs a timer while it lists fonts.
    """
    deadline = time.monotonic() + ENDING_SECONDS
    while (number := len(os.listdir("/proc/self/task"))) > 1 and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
    return number


def drop_privileges() -> None:
    """Drop every capability of this process, and forbid it to gain one by executing a file."""
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0)
    _call("capset", header, (ctypes.c_uint32 * 6)())
    _call("prctl", *map(ctypes.c_ulong, (SET_NO_NEW_PRIVS, 1, 0, 0, 0)))


def filter_calls(program: bytes) -> None:
    """Install a seccomp filter on this process. `program`: BPF instructions of 8 bytes each."""

    class Program(ctypes.Structure):  # struct sock_fprog
        _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))

    rules = Program(len(program) // 8, program)
    _call("prctl", *map(ctypes.c_ulong, (SET_SECCOMP, FILTER)), ctypes.byref(rules))


def _call(name: str, *arguments: object) -> None:
    if getattr(_libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
