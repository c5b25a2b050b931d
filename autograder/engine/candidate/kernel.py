"""Linux system calls for which Python 3.11 has no function. Each raises `OSError` if it fails."""

import contextlib
import ctypes
import errno
import fcntl
import os
import platform
import signal
import struct
import time
from collections.abc import Iterable

NEW_MOUNT, NEW_UTS, NEW_IPC = 0x00020000, 0x04000000, 0x08000000  # linux/sched.h
NEW_USER, NEW_PID, NEW_NET = 0x10000000, 0x20000000, 0x40000000
READ_ONLY, NO_SUID, NO_DEV, NO_EXEC = 1, 2, 4, 8  # linux/mount.h
SET_DEATH_SIGNAL, SET_DUMPABLE, SET_SECCOMP, SET_NO_NEW_PRIVS = 1, 4, 22, 38  # linux/prctl.h
FILTER = 2  # linux/seccomp.h
CAPABILITY_VERSION = 0x20080522  # linux/capability.h: two words a set
ENDING_SECONDS, POLL_SECONDS = 2.0, 0.01  # for a thread that is about to end
# linux/landlock.h. Its calls have the same numbers on every machine.
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
ASK_VERSION, BENEATH_A_PATH, NO_LOG = 1, 1, 1
WRITE_FILE, READ_FILE, READ_FOLDER = 1 << 1, 1 << 2, 1 << 3
FILE_RIGHTS = (1 << 13) - 1  # all of version 1; `seccomp.py` covers what version 1 misses
TCP, SCOPES = 3, 3  # to bind and to connect; abstract sockets and signals
TCP_VERSION, SCOPES_VERSION, NO_LOG_VERSION = 4, 6, 7
RULESET, RULE = struct.Struct("=QQQ"), struct.Struct("=Qi")
# linux/seccomp.h, linux/filter.h: a filter that asks a listener about one call
SECCOMP, CLONE = {"x86_64": (317, 56), "aarch64": (277, 220)}.get(platform.machine(), (-1, -1))
SET_FILTER, NEW_LISTENER = 1, 1 << 3
LOAD, EQUALS, RETURN = 0x20, 0x15, 0x06  # instructions: the word at an offset; jump; end
ASK, ALLOW = 0x7FC00000, 0x7FFF0000
INSTRUCTION = struct.Struct("=HBBI")
RECEIVE, ANSWER = 0xC0502100, 0xC0182101  # ioctl numbers
QUESTION, REPLY = struct.Struct("=Q72x"), struct.Struct("=QqiI")
GO_ON = 1

_libc = ctypes.CDLL(None, use_errno=True)


def unshare(flags: int) -> None:
    """Move this process into new namespaces, such as NEW_MOUNT | NEW_NET.

    A new pid namespace holds only the children that the process forks later, not the process itself.
    """
    _call("unshare", ctypes.c_int(flags))


def set_namespace(fd: int, kind: int) -> None:
    """Move this process into the namespace that the descriptor `fd` is open on.

    A pid namespace then holds only the children that the process forks later. `kind`: the flag of
    the namespace, such as NEW_PID.
    """
    _call("setns", ctypes.c_int(fd), ctypes.c_int(kind))


def mount_private(folder: str, options: str, flags: int) -> None:
    """Mount a tmpfs over a folder, in this mount namespace only.

    `options`: for the tmpfs, such as its size. `flags`: for the mount, such as READ_ONLY.
    """
    _call("mount", b"tmpfs", os.fsencode(folder), b"tmpfs", ctypes.c_ulong(flags), options.encode())


def map_ids(uid: int, gid: int) -> None:
    """Map `uid` and `gid` to the same numbers in the user namespace that this process has entered."""
    for name, line in (
        ("setgroups", "deny"),
        ("uid_map", f"{uid} {uid} 1"),
        ("gid_map", f"{gid} {gid} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(line)


def become(uid: int) -> None:
    """Change to the user `uid` and to the group with the same number, for good.

    The process stays the owner of its own entries in /proc.
    """
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    _call("prctl", *map(ctypes.c_ulong, (SET_DUMPABLE, 1, 0, 0, 0)))


def end_with_parent(parent: int) -> None:
    """Have the kernel kill this process when its parent, process number `parent`, ends.

    Exit at once if the parent has already ended.
    """
    set_death_signal()
    if os.getppid() != parent:
        os._exit(0)


def set_death_signal() -> None:
    """Have the kernel kill this process when its parent ends.

    A later change of user or capabilities undoes this.
    """
    _call("prctl", *map(ctypes.c_ulong, (SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)))


def threads() -> int:
    """Return how many threads this process has, including those of libraries.

    If there are several, wait up to ENDING_SECONDS for threads that are about to end.
    """
    # matplotlib runs a timer thread while it lists fonts
    deadline = time.monotonic() + ENDING_SECONDS
    while (number := len(os.listdir("/proc/self/task"))) > 1 and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
    return number


def drop_privileges() -> None:
    """Drop every capability of this process, and forbid it to gain any by executing a file."""
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0)
    _call("capset", header, (ctypes.c_uint32 * 6)())
    _call("prctl", *map(ctypes.c_ulong, (SET_NO_NEW_PRIVS, 1, 0, 0, 0)))


class Program(ctypes.Structure):
    """A seccomp filter: the number of BPF instructions, and their address."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))

    @classmethod
    def of(cls, program: bytes) -> "Program":
        """Return the filter with these BPF instructions of 8 bytes each."""
        return cls(len(program) // INSTRUCTION.size, program)


def filter_calls(program: bytes) -> None:
    """Install a seccomp filter on this process. `program`: BPF instructions of 8 bytes each."""
    arguments = map(ctypes.c_ulong, (SET_SECCOMP, FILTER))
    _call("prctl", *arguments, ctypes.byref(Program.of(program)))


def ask_for_threads() -> int:
    """Install a seccomp filter that lets `clone` wait for an answer, and refuses nothing by itself.

    Return the descriptor on which questions arrive, for `answer_thread`.
    """
    rules = ((LOAD, 0, 0, 0), (EQUALS, 0, 1, CLONE), (RETURN, 0, 0, ASK), (RETURN, 0, 0, ALLOW))
    program = Program.of(b"".join(INSTRUCTION.pack(*rule) for rule in rules))
    return _system_call("seccomp", SECCOMP, SET_FILTER, NEW_LISTENER, ctypes.byref(program))


def answer_thread(listener: int, may_start: bool) -> None:
    """Let the thread that waits at this descriptor start, or refuse it as a limit on threads would.

    Do nothing if it has stopped waiting.
    """
    question = bytearray(QUESTION.size)
    with contextlib.suppress(FileNotFoundError):  # a signal came first, or the process ended
        fcntl.ioctl(listener, RECEIVE, question)
        (number,) = QUESTION.unpack(question)
        reply = (0, GO_ON) if may_start else (-errno.EAGAIN, 0)
        fcntl.ioctl(listener, ANSWER, REPLY.pack(number, 0, *reply))


def landlock_version() -> int:
    """Return the version of this kernel's Landlock interface, at least 1."""
    return _system_call("Landlock", CREATE_RULESET, None, 0, ASK_VERSION)


def landlock_rules(listed: Iterable[str], readable: Iterable[str], writable: Iterable[str]) -> int:
    """Return the descriptor of a Landlock ruleset for `restrict`.

    Folders at and below the paths `listed` can be listed, files at and below `readable` can be
    read, and files at `writable` can be read and written. Paths that this process cannot open are
    left out. All other access to files is refused. So are, as far as the kernel's version of
    Landlock can, TCP, abstract sockets, and signals to processes outside.
    """
    version = landlock_version()
    tcp, scopes = TCP * (version >= TCP_VERSION), SCOPES * (version >= SCOPES_VERSION)
    attributes = RULESET.pack(FILE_RIGHTS, tcp, scopes)
    ruleset = _system_call("Landlock", CREATE_RULESET, attributes, len(attributes), 0)
    rights = dict.fromkeys(listed, 0) | dict.fromkeys(readable, READ_FILE)
    rights |= dict.fromkeys(writable, READ_FILE | WRITE_FILE)
    for path, access in rights.items():
        with contextlib.suppress(FileNotFoundError, PermissionError):
            fd = os.open(path, os.O_PATH | os.O_NOFOLLOW)
            access |= READ_FOLDER * os.path.isdir(path)
            _system_call("Landlock", ADD_RULE, ruleset, BENEATH_A_PATH, RULE.pack(access, fd), 0)
            os.close(fd)
    return ruleset


def restrict(ruleset: int) -> None:
    """Restrict this process by a Landlock ruleset, for good. Call `drop_privileges` first."""
    # else the audit log could get a line for each refusal, with a path of the student's choice
    quiet = NO_LOG * (landlock_version() >= NO_LOG_VERSION)
    _system_call("Landlock", RESTRICT_SELF, ruleset, quiet)


def _call(name: str, *arguments: object) -> None:
    if getattr(_libc, name)(*arguments) != 0:
        raise _failed(name)


def _system_call(name: str, number: int, *arguments: object) -> int:
    """Make a system call that has no function in libc, and return its result. `name`: for errors."""
    longs = (ctypes.c_long(value) if isinstance(value, int) else value for value in arguments)
    result = _libc.syscall(ctypes.c_long(number), *longs)
    if result < 0:
        raise _failed(name)
    return result


def _failed(name: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, f"{name}: {os.strerror(number)}")
