"""The system calls that no student's code needs: no new process, no new namespace, no keyring."""

import errno
import socket
from typing import IO

CLONE_THREAD = 0x00010000
REFUSED = (
    *("fork", "vfork", "ptrace", "process_vm_readv", "process_vm_writev", "kcmp"),
    *("mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "fsopen", "fsmount"),
    *("unshare", "setns", "keyctl", "add_key", "request_key", "bpf", "perf_event_open"),
    *("userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register"),
    *("kexec_load", "init_module", "finit_module", "delete_module", "reboot", "swapon", "swapoff"),
    *("acct", "syslog", "quotactl", "name_to_handle_at", "open_by_handle_at"),
)


def write_filter(file: IO[bytes]) -> None:
    """Write the filter as BPF for `bwrap --seccomp`.

    Threads stay possible (torch, IPython); `clone3` says ENOSYS, so that libc falls back to `clone`,
    whose flags a filter can read.
    """
    import pyseccomp as seccomp  # needs libseccomp, which only Linux has

    rules = seccomp.SyscallFilter(seccomp.ALLOW)
    refuse = seccomp.ERRNO(errno.EPERM)
    for name in REFUSED:
        rules.add_rule(refuse, name)
    rules.add_rule(refuse, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, CLONE_THREAD, 0))
    rules.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")
    rules.add_rule(refuse, "socket", seccomp.Arg(0, seccomp.NE, socket.AF_UNIX))
    rules.export_bpf(file)
