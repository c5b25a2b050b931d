"""The seccomp filter: the system calls that a candidate may make; the kernel refuses all others.

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
WORD = 0xFFFFFFFF  # what the kernel looks at where an argument is an int
BINARY_TREE = 2  # of libseccomp's CTL_OPTIMIZE
# fmt: off
FILES = (  # read, write and arrange them; what may be written, the mounts or Landlock say
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
OPENING = (("open", 1), ("openat", 2))  # and which argument are the flags
PLAIN_OPENING = (os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_TRUNC | os.O_WRONLY, os.O_TRUNC | os.O_RDWR)
TEMPORARY = 0o20000000  # __O_TMPFILE
MAP_SHARED, MAP_PRIVATE, MAP_TYPE, MAP_ANONYMOUS = 1, 2, 15, 32
CLOCK_OF_A_PROCESS = 1 << 31  # bit of a clock's number that has another process's number in it
CHANNEL = ("sendto", "recvfrom")  # `send` and `recv` of the socket that it was given: without flags
WAITING = ("poll", "ppoll", "select", "pselect6", "pause", "nanosleep", "clock_nanosleep")
MEMORY = ("brk", "munmap", "mremap", "mprotect")
THREADS = (  # each of its own process: torch, OpenMP, `threading`
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
ITSELF = (  # who and where it is, and what the self-test asks
    "getpid", "getppid", "getuid", "geteuid", "getgid", "getegid", "getresuid", "getresgid",
    "getgroups", "getpgid", "getpgrp", "getsid", "getpriority", "sched_getaffinity",
    "sched_getscheduler", "sched_getparam", "sched_get_priority_max", "sched_get_priority_min",
    "getrlimit", "uname", "getrandom", "capget",
)
ALLOWED = (*FILES, *WAITING, *MEMORY, *THREADS, *TIME, *SIGNALS, *ITSELF)
ALREADY_DONE = (  # succeed unmade
    "fsync", "fdatasync", "msync",  # what it can write is in memory, and the host's disk is not its
    "sched_yield",  # else, beside others, it would use up no time of its own
)
# Calls that are allowed with some values of one argument: (call, which argument, values).
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
# Private futexes only: a shared one, on a page of a library, would be a bell between submissions.
FUTEX_PRIVATE, FUTEX_CLOCK_REALTIME = 128, 256
FUTEX_WAIT, FUTEX_WAKE, FUTEX_WAIT_BITSET = 0, 1, 9
FUTEXES = (FUTEX_WAIT, FUTEX_WAKE, 3, 4, 5, FUTEX_WAIT_BITSET, 10)  # REQUEUE to WAKE_OP, WAKE_BITSET
# VM FS FILES SIGHAND THREAD SYSVSEM SETTLS PARENT_SETTID CHILD_CLEARTID: `pthread_create`
CLONE_AS_A_THREAD = 0x003D0F00
FIRST_NEW, LAST_NEW = 424, 639  # one numbering for all, since Linux 5.1
NEW_ALLOWED = (436, 439)  # close_range, faccessat2
OWN_NUMBER = 0x7A57CA4D  # no process has it, since the kernel counts to 2**22
SIGNALLING = (("kill", 1), ("tkill", 1), ("tgkill", 2))  # and which argument is the signal
BUT_SIGKILL = (  # (mask, value): 0 to 7, 8, 10 and 11, 12 to 15, 16 to 31, 32 to 63, 64
    (~7, 0), (~0, 8), (~1, 10), (~3, 12), (~15, 16), (~31, 32), (~0, 64),
)
# fmt: on


def write_filter(file: IO[bytes], behind_landlock: bool = False) -> None:
    """Write the filter to `file` as BPF instructions. Raise `SandboxError` if libseccomp is not
    installed.

    A refused call fails with EPERM. A call that Linux got since 5.1 fails with ENOSYS, so that libc
    uses the older one: instead of `clone3` that is `clone`, whose flags a filter can read. A 32-bit
    call, or one with an x32 number, kills the process. So does a candidate that sends SIGKILL,
    which the kernel would ignore in the first process of a namespace.

    `behind_landlock`: refuse also what there is harmless in a namespace, and Landlock lets through,
    or its first versions did: signals to other processes, and changes of files that can only be
    named. In that filter, OWN_NUMBER stands for the number of the candidate's process.
    """
    try:
        import pyseccomp as seccomp
    except (ImportError, RuntimeError):  # not Linux, or no library
        raise SandboxError(MISSING) from None
    rules = _Rules(seccomp)
    for name in ALLOWED:
        rules.add(seccomp.ALLOW, name)
    for name in ALREADY_DONE:
        rules.add(seccomp.ERRNO(0), name)
    for number in range(FIRST_NEW, LAST_NEW + 1):
        new = number in NEW_ALLOWED
        rules.add(seccomp.ALLOW if new else seccomp.ERRNO(errno.ENOSYS), number)
    for name, place, values in WITH_VALUES:
        for value in values:
            rules.when(seccomp.ALLOW, name, place, value)
    rules.when(seccomp.ALLOW, "clone", 0, CLONE_AS_A_THREAD)
    # Shared memory without a file is counted for nobody once it is unmapped but for a page.
    rules.when(seccomp.ALLOW, "mmap", 3, MAP_PRIVATE, MAP_TYPE)
    rules.when(seccomp.ALLOW, "mmap", 3, MAP_SHARED, MAP_TYPE | MAP_ANONYMOUS)
    rules.when(seccomp.ALLOW, "clock_gettime", 0, 0, CLOCK_OF_A_PROCESS)
    _allow_private_futexes(seccomp, rules)
    _allow_own_process(seccomp, rules, behind_landlock)
    _allow_files(seccomp, rules, behind_landlock)
    rules.filter.export_bpf(file)


class _Rules:
    """The rules of a filter, which refuses what they do not name. `seccomp`: the module."""

    def __init__(self, seccomp: Any):
        self.seccomp = seccomp
        self.filter = seccomp.SyscallFilter(seccomp.ERRNO(errno.EPERM))
        self.filter.set_attr(seccomp.Attr.ACT_BADARCH, seccomp.KILL_PROCESS)
        with contextlib.suppress(OSError):  # libseccomp before 2.5 has lists only: slower
            self.filter.set_attr(seccomp.Attr.CTL_OPTIMIZE, BINARY_TREE)

    def add(self, action: int, call: str | int, *arguments: Any) -> None:
        """Let a call with these arguments have this action."""
        self.filter.add_rule(action, call, *arguments)

    def argument(self, place: int, value: int, mask: int = WORD) -> Any:
        """Return the condition that an argument, after the mask, has this value."""
        return self.seccomp.Arg(place, self.seccomp.MASKED_EQ, mask & WORD, value)

    def when(self, action: int, call: str, place: int, value: int, mask: int = WORD) -> None:
        """Let a call have this action if one argument, after the mask, has this value."""
        self.add(action, call, self.argument(place, value, mask))


def _allow_own_process(seccomp: Any, rules: _Rules, behind_landlock: bool) -> None:
    """Add the rules for signals and for reading limits; behind Landlock, of the own process alone."""
    own = [rules.argument(0, 0)] if behind_landlock else []
    rules.add(seccomp.ALLOW, "prlimit64", *own, seccomp.Arg(2, seccomp.EQ, 0))  # read, not set
    own = [rules.argument(0, OWN_NUMBER)] if behind_landlock else []
    for name, place in SIGNALLING:
        rules.when(seccomp.KILL_PROCESS, name, place, signal.SIGKILL)
        for mask, value in () if own and name == "tkill" else BUT_SIGKILL:  # it names threads alone
            rules.add(seccomp.ALLOW, name, *own, rules.argument(place, value, mask))


def _allow_files(seccomp: Any, rules: _Rules, behind_landlock: bool) -> None:
    """Add the rules for opening and changing files."""
    for name, place in OPENING:
        # Landlock asks for the right to read or to write. The access mode 3 is neither, but is enough
        # for a temporary file; and before version 3, a reader could make a file empty.
        for flags in PLAIN_OPENING if behind_landlock else ():
            rules.when(seccomp.ALLOW, name, place, flags, os.O_TRUNC | os.O_ACCMODE | TEMPORARY)
        if not behind_landlock:
            rules.add(seccomp.ALLOW, name)
    for name in (*IN_OWN_FOLDERS, *ATTRIBUTES):
        if not behind_landlock:
            rules.add(seccomp.ALLOW, name)
        elif name in ATTRIBUTES:
            rules.add(seccomp.ERRNO(errno.ENOTSUP), name)  # `shutil` does without


def _allow_private_futexes(seccomp: Any, rules: _Rules) -> None:
    """Add the rules for futexes: private ones are allowed, and a thread that waits on a shared one
    (`pthread_join`) polls instead.
    """
    either_clock = WORD ^ FUTEX_CLOCK_REALTIME
    for operation in FUTEXES:
        rules.when(seccomp.ALLOW, "futex", 1, operation | FUTEX_PRIVATE, either_clock)
    for waiting in (FUTEX_WAIT, FUTEX_WAIT_BITSET):
        rules.when(seccomp.ERRNO(errno.EAGAIN), "futex", 1, waiting, either_clock)  # it has changed
    rules.when(seccomp.ERRNO(0), "futex", 1, FUTEX_WAKE, either_clock)  # nobody waits
