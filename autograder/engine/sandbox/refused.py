"""System calls that the filter must refuse, for the self-test.

They are chosen by hand, independent of the filter's list. If the filter allowed a call, the kernel
would not answer with EPERM or ENOSYS, or the process would fork.
"""

from collections.abc import Iterator

from autograder.engine.limits.process import SandboxError
from autograder.engine.sandbox.seccomp import MISSING

NOWHERE = -1  # not a descriptor, address or process: the default of an argument
WORDS = 6  # arguments of a call
# fmt: off
REFUSED: dict[str, tuple[tuple, ...]] = {  # (call, *arguments) by the wall that refuses them
    "processes": (
        ("fork",), ("clone", 17, 0, 0, 0, 0), ("clone", 0x10000000 | 17, 0, 0, 0, 0),
        ("execve", 0, 0, 0), ("execveat",), ("clone3", 0, 0),
    ),
    "other processes": (
        ("ptrace",), ("process_vm_readv",), ("process_vm_writev",), ("kcmp",), ("pidfd_open",),
        ("rt_sigqueueinfo",), ("rt_tgsigqueueinfo",),
    ),
    "privileges": (
        ("unshare", 0x10000000), ("setns",), ("setuid",), ("setresuid",), ("setresgid",), ("capset", 0, 0),
        ("prctl", 4, 1), ("prctl", 22), ("personality",), ("seccomp",),
    ),
    "clocks of others": (("clock_gettime", -2, 0),),  # of process 0's CPU
    "scheduling": (
        ("sched_setaffinity", 0, 0, 0), ("sched_setscheduler", 0, -1, 0), ("sched_setparam", 0, 0),
        ("sched_setattr", 0, 0, 0), ("setpriority", 0, 0, 0), ("ioprio_set",), ("setrlimit",),
        ("prlimit64", 0, 4, -1, 0),
    ),
    "file systems": (
        ("mount",), ("umount2", 0, 0), ("pivot_root",), ("chroot", 0), ("mknod",), ("mknodat",),
        ("name_to_handle_at",), ("setxattr",), ("fsetxattr",), ("removexattr",), ("quotactl",),
        ("open_tree",), ("fsopen",), ("openat2",),
    ),
    "signs on files": (
        ("inotify_init",), ("inotify_init1", 0), ("fanotify_init",), ("flock",), ("fcntl", -1, 6),
        ("fcntl", -1, 1024), ("fcntl", -1, 1026), ("fcntl", -1, 1031), ("fadvise64",), ("readahead",),
        ("mincore",), ("preadv2",), ("pwritev2",), ("madvise", 0, 0, 21), ("madvise", 0, 0, 12),
    ),
    "sockets": (
        ("socket", 1, 1, 0), ("socketpair", 1, 1, 0, 0), ("bind",), ("listen",), ("connect",), ("accept",),
        ("accept4",), ("sendmsg",), ("sendmmsg",), ("recvmsg",), ("recvmmsg",), ("getsockopt",),
        ("setsockopt",), ("shutdown",), ("getsockname",), ("sendto", -1, 0, 0, 1), ("recvfrom", -1, 0, 0, 1),
    ),
    "memory of nobody": (
        ("memfd_create",), ("shmget", 0, 4096, 0o1600), ("shmat",), ("shmctl",), ("semget", 0, 1, 0o1600),
        ("semop",), ("msgget", 0, 0o1600), ("msgsnd",), ("mq_open",), ("add_key",), ("request_key",),
        ("keyctl",), ("memfd_secret", 0), ("userfaultfd",), ("splice",), ("tee",), ("vmsplice",),
        ("sendfile",), ("copy_file_range",), ("mmap", 0, 4096, 0, 0x21, -1, 0), ("mmap", 0, 4096, 0, 0x23, -1, 0),
    ),
    "locked memory": (
        ("mlock",), ("mlock2",), ("mlockall", 0), ("munlock",), ("munlockall",), ("mbind",),
        ("set_mempolicy",), ("get_mempolicy",), ("move_pages",), ("migrate_pages",), ("remap_file_pages",),
    ),
    "asynchronous input": (
        ("io_setup", 1, 0), ("io_destroy",), ("io_submit",), ("io_getevents",), ("io_cancel",),
        ("io_uring_setup", 1, 0), ("io_uring_enter",),
    ),
    "syncing": (("sync",), ("syncfs",), ("sync_file_range",)),
    "timers": (
        ("timer_create",), ("timer_settime",), ("timerfd_create",), ("timerfd_settime",), ("epoll_create", 1),
        ("epoll_create1", 0), ("epoll_ctl",), ("eventfd", 0), ("eventfd2", 0, 0), ("signalfd",), ("signalfd4",),
    ),
    "shared futexes": (("futex", 0, 3), ("futex", 0, 6 | 128), ("futex_waitv",), ("membarrier", 0)),
    "the machine": (
        ("sysinfo", 0), ("syslog",), ("perf_event_open",), ("bpf",), ("iopl",), ("ioperm",), ("modify_ldt",),
        ("kexec_load",), ("init_module",), ("delete_module",), ("reboot",), ("swapon",), ("swapoff",),
        ("acct",), ("sethostname",), ("setdomainname",), ("settimeofday",), ("clock_settime",),
        ("adjtimex", 0), ("clock_adjtime",), ("landlock_create_ruleset", 0, 0, 1), ("ioctl", -1, 0x5412),
        ("arch_prctl", 0x1011, 1), ("get_robust_list",),
    ),
}
NOBODY = 2**31 - 1  # a process number that none has
MODE, TRUNCATE, TEMPORARY = 0o600, 0o1000, 0o20200000
BEHIND_LANDLOCK: dict[str, tuple[tuple, ...]] = {  # refused in addition without namespaces
    "signals to others": (
        ("kill", NOBODY, 0), ("kill", -1, 0), ("tgkill", NOBODY, NOBODY, 0), ("tkill", NOBODY, 0),
    ),
    "limits of others": (("prlimit64", NOBODY, 7, 0, 0),),
    "changes of files": (
        ("truncate",), ("chmod",), ("fchmod", -1, MODE), ("fchmodat",), ("chown",), ("lchown",), ("fchown",),
        ("fchownat",), ("utime",), ("utimes",), ("futimesat",), ("utimensat",), ("open", 0, TRUNCATE),
        ("openat", -1, 0, TRUNCATE), ("open", 0, 3), ("openat", -1, 0, 3), ("openat", -1, 0, TEMPORARY | 2),
    ),
}
# fmt: on


def numbered(behind_landlock: bool) -> Iterator[tuple[str, str, int, list[int]]]:
    """Yield (wall, name, number on this machine, arguments) for each call in REFUSED that this
    machine has, and `behind_landlock` also for each in BEHIND_LANDLOCK.

    Raise `SandboxError` if libseccomp is not installed.
    """
    try:
        import pyseccomp as seccomp
    except (ImportError, RuntimeError):
        raise SandboxError(MISSING) from None
    calls_by_wall = REFUSED | BEHIND_LANDLOCK if behind_landlock else REFUSED
    for wall, calls in calls_by_wall.items():
        for name, *arguments in calls:
            number = seccomp.resolve_syscall(seccomp.Arch.NATIVE, name)
            if number >= 0:  # this machine has it
                padding = [0 if arguments else NOWHERE] * (WORDS - len(arguments))
                yield wall, name, number, [*arguments, *padding]
