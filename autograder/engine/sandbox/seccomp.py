"""The seccomp filter: the system calls that a candidate may make. The kernel refuses all others.

docs/walls.md says how the list was found. libseccomp skips names of calls that the machine does not
have (`open` on aarch64).
"""

import contextlib
import errno
import os
import signal
from typing import IO, Any

from autograder.engine.limits.process import SandboxError

MISSING = "libseccomp is not installed: install it (Debian: libseccomp2) and try again"
WORD = 0xFFFFFFFF  # the bits of an argument that is an int; the kernel ignores the others
BINARY_TREE = 2  # of libseccomp's CTL_OPTIMIZE
# fmt: off
FILES = (  # read, write and arrange them; the mounts or Landlock decide which files are writable
    "creat", "close", "read", "readv", "pread64", "preadv", "write",
    "writev", "pwrite64", "pwritev", "lseek", "ftruncate",
    "fallocate", "dup", "dup2", "dup3", "pipe", "pipe2", "stat", "lstat", "fstat", "newfstatat",
    "statx", "statfs", "fstatfs", "access", "faccessat", "getdents", "getdents64",
    "readlink", "readlinkat", "getcwd", "chdir", "fchdir", "mkdir", "mkdirat", "rmdir", "unlink", "unlinkat",
    "rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat", "umask",
)
IN_OWN_FOLDERS = (  # of the mount namespace; Landlock would let them through to the user's files
    "truncate", "chmod", "fchmod", "fchmodat", "chown", "lchown", "fchown", "fchownat", "utime", "utimes",
    "futimesat", "utimensat",
)
ATTRIBUTES = ("getxattr", "lgetxattr", "fgetxattr", "listxattr", "llistxattr", "flistxattr")
OPENING = (("open", 1), ("openat", 2))  # (call, index of its flags)
PLAIN_OPENING = (os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_TRUNC | os.O_WRONLY, os.O_TRUNC | os.O_RDWR)
TEMPORARY = 0o20000000  # __O_TMPFILE
MAP_SHARED, MAP_PRIVATE, MAP_TYPE, MAP_ANONYMOUS = 1, 2, 15, 32
CLOCK_OF_A_PROCESS = 1 << 31  # bit of a clock's number that has another process's number in it
CHANNEL = ("sendto", "recvfrom")  # `send` and `recv` of the socket that it was given: without flags
WAITING = ("poll", "ppoll", "select", "pselect6", "pause", "nanosleep", "clock_nanosleep")
MEMORY = ("brk", "munmap", "mremap", "mprotect")
THREADS = (  # of the candidate's process: torch, OpenMP, `threading`
    "set_robust_list", "rseq", "exit", "exit_group", "gettid", "getcpu",
)
TIME = (
    "time", "gettimeofday", "clock_getres", "times", "getrusage", "alarm",
    "setitimer", "getitimer",  # students' time limits; POSIX timers take kernel memory
)
SIGNALS = (
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending", "rt_sigtimedwait",
    "rt_sigsuspend", "sigaltstack", "restart_syscall",  # the kernel's own, after a signal
)
ITSELF = (  # its user, process and machine, and calls of the self-test
    "getpid", "getppid", "getuid", "geteuid", "getgid", "getegid", "getresuid", "getresgid",
    "getgroups", "getpgid", "getpgrp", "getsid", "getpriority", "sched_getaffinity",
    "sched_getscheduler", "sched_getparam", "sched_get_priority_max", "sched_get_priority_min",
    "getrlimit", "uname", "getrandom", "capget",
)
ALLOWED = (*FILES, *WAITING, *MEMORY, *THREADS, *TIME, *SIGNALS, *ITSELF)
ALREADY_DONE = (  # succeed without any effect
    "fsync", "fdatasync", "msync",  # its files are in memory, and it must not touch the host's disk
    "sched_yield",  # else, beside other processes, its time would not count as used
)
# Calls that are allowed with some values of an argument: (call, index of the argument, values).
WITH_VALUES = (
    ("ioctl", 1, (
        0x5401, 0x802C542A, 0x5413, 0x541B,  # TCGETS, TCGETS2, TIOCGWINSZ, FIONREAD: `isatty`
        0x5421, 0x5450, 0x5451,  # FIONBIO, FIONCLEX, FIOCLEX: timeouts of the channel, `open`
    )),
    *((call, 3, (0,)) for call in CHANNEL),  # MSG_OOB has led out of sandboxes
    ("fcntl", 1, (0, 1, 2, 3, 4, 1030)),  # F_DUPFD to F_SETFL, F_DUPFD_CLOEXEC; no locks
    ("madvise", 2, (0, 1, 2, 3, 4, 8, 14, 15)),  # MADV_NORMAL to DONTNEED, FREE, (NO)HUGEPAGE
    ("prctl", 0, (
        15, 16, 0x53564D41,  # PR_SET_NAME, PR_GET_NAME, PR_SET_VMA: names of threads and memory
        21, 39,  # PR_GET_SECCOMP, PR_GET_NO_NEW_PRIVS: the self-test
    )),
    ("arch_prctl", 0, (0x1021, 0x1022, 0x1023)),  # ARCH_*_XCOMP_*: oneDNN asks for AMX
)
# Private futexes only: by a shared futex on a library's page, submissions could signal each other.
FUTEX_PRIVATE, FUTEX_CLOCK_REALTIME = 128, 256
FUTEX_WAIT, FUTEX_WAKE, FUTEX_WAIT_BITSET = 0, 1, 9
FUTEXES = (FUTEX_WAIT, FUTEX_WAKE, 3, 4, 5, FUTEX_WAIT_BITSET, 10)  # REQUEUE to WAKE_OP, WAKE_BITSET
# VM FS FILES SIGHAND THREAD SYSVSEM SETTLS PARENT_SETTID CHILD_CLEARTID: `pthread_create`
CLONE_AS_A_THREAD = 0x003D0F00
FIRST_NEW, LAST_NEW = 424, 639  # since Linux 5.1, the same numbers on all machines
NEW_ALLOWED = (436, 439)  # close_range, faccessat2
OWN_NUMBER = 0x7A57CA4D  # a placeholder: process numbers end at 2**22
SIGNALLING = (("kill", 1), ("tkill", 1), ("tgkill", 2))  # (call, index of the signal)
BUT_SIGKILL = (  # (mask, value): 0 to 7, 8, 10 and 11, 12 to 15, 16 to 31, 32 to 63, 64
    (~7, 0), (~0, 8), (~1, 10), (~3, 12), (~15, 16), (~31, 32), (~0, 64),
)
# fmt: on


def write_filter(file: IO[bytes], behind_landlock: bool = False) -> None:
    """Write the filter to `file` as BPF instructions. Raise `SandboxError` if libseccomp is not
    installed.

    A refused call fails with EPERM. A call that is new since Linux 5.1 fails with ENOSYS, so that
    libc uses an older call: instead of `clone3` it uses `clone`, whose flags a filter can read. A
    32-bit call, or a call with an x32 number, kills the process. So does sending SIGKILL, which the
    kernel would ignore in the first process of a namespace.

    `behind_landlock`: refuse also signals to other processes, and changes of files by name, which
    are harmless in a namespace and which Landlock or its first versions allow. In that filter,
    OWN_NUMBER stands for the number of the candidate's process.
    """
    try:
        import pyseccomp as seccomp
    except (ImportError, RuntimeError):  # not Linux, or without the C library
        raise SandboxError(MISSING) from None
    rules = _Rules(seccomp)
    for name in ALLOWED:
        rules.add(seccomp.ALLOW, name)
    for name in ALREADY_DONE:
        rules.add(seccomp.ERRNO(0), name)
    for number in range(FIRST_NEW, LAST_NEW + 1):
        is_allowed = number in NEW_ALLOWED
        rules.add(seccomp.ALLOW if is_allowed else seccomp.ERRNO(errno.ENOSYS), number)
    for name, place, values in WITH_VALUES:
        for value in values:
            rules.when(seccomp.ALLOW, name, place, value)
    rules.when(seccomp.ALLOW, "clone", 0, CLONE_AS_A_THREAD)
    # Shared memory without a file counts for nobody once all but a page of it is unmapped.
    rules.when(seccomp.ALLOW, "mmap", 3, MAP_PRIVATE, MAP_TYPE)
    rules.when(seccomp.ALLOW, "mmap", 3, MAP_SHARED, MAP_TYPE | MAP_ANONYMOUS)
    rules.when(seccomp.ALLOW, "clock_gettime", 0, 0, CLOCK_OF_A_PROCESS)
    _allow_private_futexes(seccomp, rules)
    _allow_own_process(seccomp, rules, behind_landlock)
    _allow_files(seccomp, rules, behind_landlock)
    rules.filter.export_bpf(file)


class _Rules:
    """The rules of a filter, which refuses all other calls. `seccomp`: the module."""

    def __init__(self, seccomp: Any):
        self.seccomp = seccomp
        self.filter = seccomp.SyscallFilter(seccomp.ERRNO(errno.EPERM))
        self.filter.set_attr(seccomp.Attr.ACT_BADARCH, seccomp.KILL_PROCESS)
        with contextlib.suppress(OSError):  # libseccomp before 2.5 has lists only: slower
            self.filter.set_attr(seccomp.Attr.CTL_OPTIMIZE, BINARY_TREE)

    def add(self, action: int, call: str | int, *arguments: Any) -> None:
        """Apply the action to a call with these arguments."""
        self.filter.add_rule(action, call, *arguments)

    def argument(self, place: int, value: int, mask: int = WORD) -> Any:
        """Return the condition that the masked argument has this value."""
        return self.seccomp.Arg(place, self.seccomp.MASKED_EQ, mask & WORD, value)

    def when(self, action: int, call: str, place: int, value: int, mask: int = WORD) -> None:
        """Apply the action to a call whose masked argument has this value."""
        self.add(action, call, self.argument(place, value, mask))


def _allow_own_process(seccomp: Any, rules: _Rules, behind_landlock: bool) -> None:
    """Add the rules for signals and for reading limits, behind Landlock for the own process only."""
    target = [rules.argument(0, 0)] if behind_landlock else []
    rules.add(seccomp.ALLOW, "prlimit64", *target, seccomp.Arg(2, seccomp.EQ, 0))  # read, not set
    target = [rules.argument(0, OWN_NUMBER)] if behind_landlock else []
    for name, place in SIGNALLING:
        rules.when(seccomp.KILL_PROCESS, name, place, signal.SIGKILL)
        # the argument of tkill is a thread, not a process
        for mask, value in () if target and name == "tkill" else BUT_SIGKILL:
            rules.add(seccomp.ALLOW, name, *target, rules.argument(place, value, mask))


def _allow_files(seccomp: Any, rules: _Rules, behind_landlock: bool) -> None:
    for name, place in OPENING:
        # Landlock checks the rights to read and to write. The access mode 3 needs neither, and still
        # makes a temporary file. Before version 3, a reader could also truncate a file.
        for flags in PLAIN_OPENING if behind_landlock else ():
            rules.when(seccomp.ALLOW, name, place, flags, os.O_TRUNC | os.O_ACCMODE | TEMPORARY)
        if not behind_landlock:
            rules.add(seccomp.ALLOW, name)
    for name in (*IN_OWN_FOLDERS, *ATTRIBUTES):
        if not behind_landlock:
            rules.add(seccomp.ALLOW, name)
        elif name in ATTRIBUTES:
            rules.add(seccomp.ERRNO(errno.ENOTSUP), name)  # `shutil` ignores this error


def _allow_private_futexes(seccomp: Any, rules: _Rules) -> None:
    """Allow private futexes. Waiting for a shared futex (`pthread_join`) becomes polling."""
    either_clock = WORD ^ FUTEX_CLOCK_REALTIME
    for operation in FUTEXES:
        rules.when(seccomp.ALLOW, "futex", 1, operation | FUTEX_PRIVATE, either_clock)
    for waiting in (FUTEX_WAIT, FUTEX_WAIT_BITSET):
        rules.when(
            seccomp.ERRNO(errno.EAGAIN), "futex", 1, waiting, either_clock
        )  # as if it had changed
    rules.when(seccomp.ERRNO(0), "futex", 1, FUTEX_WAKE, either_clock)  # as if nobody waited
