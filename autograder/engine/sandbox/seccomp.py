"""The system calls that no student's code needs, refused before the kernel looks at them.

What stays is what Python and torch do: files, memory, threads, clocks, the inherited channel.
"""

import errno
import signal
from typing import IO

from autograder.engine.sandbox.errors import NotInstalled

CLONE_THREAD = 0x00010000
WORD = 0xFFFFFFFF  # what the kernel looks at where an argument is an int
# fmt: off
PROCESSES = (  # new ones, other programs, other people's processes
    "fork", "vfork", "execve", "execveat", "ptrace", "kcmp", "setns", "unshare", "process_vm_readv",
    "process_vm_writev", "personality", "acct", "migrate_pages", "move_pages",
)
SCHEDULING = (  # a candidate stays on the processor, and at the priority, that it was given
    "sched_setaffinity", "sched_setattr", "sched_setparam", "sched_setscheduler", "setpriority",
    "ioprio_set",
)
FILE_SYSTEMS = (
    "mount", "umount2", "pivot_root", "chroot", "swapon", "swapoff", "quotactl", "mknod", "mknodat",
    "name_to_handle_at", "open_by_handle_at",
)
SIGNS = (  # that could be left on shared files, and on their place in memory
    "inotify_init", "inotify_init1", "inotify_add_watch", "fanotify_init", "fanotify_mark", "flock",
    "fadvise64", "readahead", "mincore", "preadv2", "pwritev2",
)
SOCKETS = (  # a channel is read and written; no other socket comes to be, no descriptor is passed
    "socket", "socketpair", "bind", "listen", "connect", "accept", "accept4", "sendmsg", "sendmmsg",
    "recvmsg", "recvmmsg", "getsockopt", "setsockopt",
)
MEMORY_OF_NOBODY = (  # which no limit of a process counts
    "memfd_create", "shmget", "shmat", "shmdt", "shmctl", "semget", "semop", "semtimedop", "semctl",
    "msgget", "msgsnd", "msgrcv", "msgctl", "mq_open", "mq_unlink", "add_key", "request_key",
    "keyctl",
)
KERNEL = (
    "bpf", "perf_event_open", "userfaultfd", "vmsplice", "modify_ldt", "iopl", "ioperm",
    "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "reboot",
    "syslog", "vhangup", "sethostname", "setdomainname", "lookup_dcookie", "settimeofday",
    "clock_settime", "adjtimex", "clock_adjtime",
)
REFUSED = (
    *PROCESSES, *SCHEDULING, *FILE_SYSTEMS, *SIGNS, *SOCKETS, *MEMORY_OF_NOBODY, *KERNEL,
)
LOCKS = (5, 6, 7, 36, 37, 38, 1024, 1026)  # of fcntl: F_GETLK to F_OFD_SETLKW, leases, notices
FIRST_NEW, LAST_NEW = 424, 639  # one numbering for all: io_uring, pidfd, mount API, landlock
NEW_ALLOWED = (436, 437, 439, 441, 449)  # close_range openat2 faccessat2 epoll_pwait2 futex_waitv
SIGNALLING = (  # calls that send a signal, and which of their arguments it is
    ("kill", 1), ("tkill", 1), ("tgkill", 2), ("rt_sigqueueinfo", 1), ("rt_tgsigqueueinfo", 2),
)
# fmt: on


def write_filter(file: IO[bytes]) -> None:
    """Write the filter as instructions of BPF.

    Threads stay possible (torch, IPython). Whatever Linux got since 5.1 seems not to be there, so
    that libc takes the older way: for `clone3` that is `clone`, whose flags a filter can read.
    A candidate is the first process of its namespace, and would shrug off its own SIGKILL; here it
    does not. Raises `NotInstalled` where there is no libseccomp.
    """
    try:
        import pyseccomp as seccomp
    except (ImportError, RuntimeError):  # not Linux, or no library
        raise NotInstalled("libseccomp is not installed (Debian: libseccomp2)") from None
    rules = seccomp.SyscallFilter(seccomp.ALLOW)
    rules.set_attr(seccomp.Attr.ACT_BADARCH, seccomp.KILL_PROCESS)  # 32-bit calls, x32
    refuse, absent = seccomp.ERRNO(errno.EPERM), seccomp.ERRNO(errno.ENOSYS)
    for name in REFUSED:
        rules.add_rule(refuse, name)  # libseccomp passes over what this machine never had
    for number in range(FIRST_NEW, LAST_NEW + 1):
        if number not in NEW_ALLOWED:
            rules.add_rule(absent, number)
    rules.add_rule(refuse, "setrlimit")  # a candidate that could would look like one that the
    rules.add_rule(refuse, "prlimit64", seccomp.Arg(2, seccomp.NE, 0))  # machine killed
    for command in LOCKS:
        rules.add_rule(refuse, "fcntl", seccomp.Arg(1, seccomp.MASKED_EQ, WORD, command))
    rules.add_rule(refuse, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, CLONE_THREAD, 0))
    for name, place in SIGNALLING:
        fatal = seccomp.Arg(place, seccomp.MASKED_EQ, WORD, signal.SIGKILL)
        rules.add_rule(seccomp.KILL_PROCESS, name, fatal)
    rules.export_bpf(file)
