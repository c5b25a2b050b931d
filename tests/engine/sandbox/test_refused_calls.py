"""Which system calls the filter refuses, and how: asked of one candidate, by their numbers."""

import errno
import json
import platform
import sys

import pytest
from partial_walls import printed, run_cell, untested_parent

pytestmark = [
    pytest.mark.walls,
    pytest.mark.skipif(sys.platform != "linux", reason="the filter is the Linux kernel's"),
]

REFUSED = {  # by what they would make possible
    "new processes": "fork vfork execve execveat ptrace process_vm_readv kcmp setns unshare",
    "file systems": "mount umount2 pivot_root chroot mknodat name_to_handle_at open_by_handle_at",
    "sockets": "socket socketpair bind connect listen sendmsg recvmsg sendmmsg getsockopt",
    "memory of nobody": "memfd_create shmget msgget semget mq_open add_key keyctl mlock munlock mlockall",
    "signs on shared files": "flock fadvise64 readahead mincore inotify_init1 fanotify_init",
    "the processor": "sched_setaffinity sched_setscheduler setpriority ioprio_set",
    "limits": "setrlimit",
    "waiting by the kernel": "io_setup timer_create timerfd_create eventfd2 signalfd4 epoll_create1",
    "the whole machine": "sync syncfs sysinfo syslog sethostname clock_settime reboot swapon acct",
    "the kernel": "bpf perf_event_open userfaultfd init_module kexec_load personality modify_ldt",
    "other users": "setuid setresuid setgroups capset",
}
ABSENT = (
    "clone3 io_uring_setup pidfd_open pidfd_getfd openat2 open_tree fsopen landlock_create_ruleset"
)
CALLS = [name for names in REFUSED.values() for name in names.split()]
WITH_VALUES = {  # calls that other arguments make harmless
    "a process by clone": ("clone", [17]),
    "namespaces by clone": ("clone", [0x10000000 | 17]),
    "a lock by fcntl": ("fcntl", [0, 6, 0]),
    "a lease by fcntl": ("fcntl", [0, 1024, 0]),
    "input of a terminal by ioctl": ("ioctl", [0, 0x5412, 0]),
    "a poisoned page by madvise": ("madvise", [0, 0, 100]),
    "a dump by prctl": ("prctl", [4, 1]),
    "a limit by prlimit64": ("prlimit64", [0, 4, 1]),
    "a shared futex": ("futex", [0, 3]),
    "shared memory without a file": ("mmap", [0, 4096, 3, 0x21]),
    "the clock of another process": ("clock_gettime", [(~1 << 3) | 2]),
}
ASK = """
import ctypes, json, os
libc, here, got = ctypes.CDLL(None, use_errno=True), os.getpid(), {{}}
for name, (number, arguments) in {questions}.items():
    ctypes.set_errno(0)
    answer = libc.syscall(number, *map(ctypes.c_long, arguments))
    if os.getpid() != here:
        os._exit(0)
    got[name] = ctypes.get_errno() if answer == -1 else 0
print(json.dumps(got))
"""
IN_32_BITS = """
import ctypes, mmap
page = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE, 7)
page.write(bytes.fromhex("b814000000cd80c3"))  # mov eax, getpid; int 0x80; ret
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
"""
BY_X32 = "import ctypes; ctypes.CDLL(None).syscall(0x40000000 | 39)"
KILLS_ITSELF = "import os; os.kill(os.getpid(), 9)"


@pytest.fixture(scope="module")
def parent(level):
    with untested_parent(level) as parent:
        yield parent


@pytest.fixture(scope="module")
def got(parent) -> dict[str, int]:
    """The error of each call, 0 where it was let through and found nothing wrong."""
    import pyseccomp

    def number(name: str) -> int:
        return pyseccomp.resolve_syscall(pyseccomp.system_arch(), name)

    questions = {name: (number(name), [-1, 0, 0, 0, 0, 0]) for name in (*CALLS, *ABSENT.split())}
    questions |= {what: (number(name), words) for what, (name, words) in WITH_VALUES.items()}
    known = {what: question for what, question in questions.items() if question[0] >= 0}
    return json.loads(printed(ASK.format(questions=known), parent))


@pytest.mark.parametrize("name", [*CALLS, *WITH_VALUES])
def test_a_call_is_not_permitted(got, name):
    assert got.get(name, errno.EPERM) == errno.EPERM  # a machine may never have had it


@pytest.mark.parametrize("name", ABSENT.split())
def test_a_new_call_seems_not_to_be_there(got, name):
    assert got.get(name, errno.ENOSYS) == errno.ENOSYS


@pytest.mark.skipif(platform.machine() != "x86_64", reason="only there are two more doors")
@pytest.mark.parametrize("source", [IN_32_BITS, BY_X32], ids=["32-bit", "x32"])
def test_a_call_by_another_door_ends_the_process(parent, source):
    assert run_cell(source, parent).fatal == {"cell": "crashed"}


def test_a_candidate_can_kill_itself(parent):
    """It is the first of its namespace, which the kernel would let shrug it off."""
    assert run_cell(KILLS_ITSELF, parent).fatal == {"cell": "crashed"}
