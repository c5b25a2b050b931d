"""The walls that a candidate builds around itself before any student's code runs.

There are two kinds. With namespaces, they are built in the first process of a pid namespace, which
`parent.py` has forked. Where namespaces are forbidden, Landlock protects files, and a stricter
filter refuses other access.
"""

import errno
import os
import resource
import socket
import struct
from collections.abc import Mapping
from typing import NamedTuple

from autograder.engine.candidate import kernel
from autograder.engine.candidate.memory import AllocatedMemory, allocated_memory

PRIVATE = ("/tmp", "/workdir", "/dev/shm")  # folders that one candidate alone sees and writes
EMPTY = ("/proc", "/dev/pts")  # would show other processes
CHANNEL = 3  # the descriptor on which a candidate answers
MOST_THREADS = 32
LIMITS = {  # beside those that come from the examiner; soft and hard
    "STACK": 8 << 20,
    "SIGPENDING": 64,
    "MEMLOCK": 0,
    "MSGQUEUE": 0,
}
KIBIBYTE = 1 << 10
ULIMIT_OPTIONS = {  # of the shell's command that shows and sets a limit
    resource.RLIMIT_AS: "v",
    resource.RLIMIT_DATA: "d",
    resource.RLIMIT_NOFILE: "n",
    resource.RLIMIT_NPROC: "u",
    resource.RLIMIT_STACK: "s",
    resource.RLIMIT_CPU: "t",
    resource.RLIMIT_FSIZE: "f",
}
NO_DUMP = 1  # byte: with 0, a host that pipes dumps to a program would still start it
KILLED_FIRST = "1000"  # if memory runs out on the machine
NO_SIGNAL, CLOSED_PORT = 0, 9
NOTHING_RUNS = kernel.NO_SUID | kernel.NO_DEV | kernel.NO_EXEC
ROOM = "size=64m,nr_inodes=4096,mode=0700"


class WallSettings(NamedTuple):
    """The settings of the walls that a candidate builds."""

    program: bytes  # the seccomp filter
    ruleset: int = -1  # descriptor of Landlock's rules, or -1 for namespaces
    own_number: int = 0  # placeholder in the filter for the candidate's process number, or 0
    variables: Mapping[str, str] = {}  # environment variables that differ from the warm parent's

    @property
    def has_namespaces(self) -> bool:
        """Whether candidates move into namespaces, instead of behind Landlock."""
        return self.ruleset < 0

    def own_program(self) -> bytes:
        """Return the filter for this process."""
        if self.own_number == 0:
            return self.program
        placeholder, pid = (struct.pack("=I", number) for number in (self.own_number, os.getpid()))
        return self.program.replace(placeholder, pid)


def enter(
    limits: dict[str, int], walls: WallSettings | None, parent: socket.socket | None = None
) -> None:
    """Build the walls around this process, and set its limits, except those on real time.

    `limits`: the arguments of `limit`. `walls`: None for limits without walls (practice). `parent`:
    behind Landlock, the socket to the warm parent, which waits for the descriptor from
    `kernel.ask_for_threads`. Raise `OSError` if a wall cannot be built.
    """
    libraries = allocated_memory()  # before /proc is out of reach
    if walls:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write(KILLED_FIRST)
        os.environ.update(walls.variables)
        if walls.has_namespaces:
            _enter_namespaces()
    os.setsid()
    os.umask(0o077)
    if walls:
        kernel.drop_privileges()
    if walls and parent:
        socket.send_fds(parent, [b"threads"], [kernel.ask_for_threads()])
        _restrict(walls.ruleset)
    _close_files()
    limit(libraries, **limits)
    if walls:
        for name, value in LIMITS.items():
            _set_hard(getattr(resource, f"RLIMIT_{name}"), value)
        if walls.has_namespaces:  # the kernel counts by user and, since 5.14, by user namespace
            _set_hard(resource.RLIMIT_NPROC, MOST_THREADS)
        kernel.set_death_signal()
        kernel.filter_calls(walls.own_program())


def _restrict(ruleset: int) -> None:
    """Restrict this process with Landlock. Raise `OSError` if the network or other processes can
    still be reached.
    """
    # tested here, because the seccomp filter would hide a gap from every later test
    version = kernel.landlock_version()
    kernel.restrict(ruleset)
    if version >= kernel.TCP_VERSION:
        with socket.socket() as sock:
            if sock.connect_ex(("127.0.0.1", CLOSED_PORT)) != errno.EACCES:
                raise OSError("Landlock does not refuse TCP")
    if version >= kernel.SCOPES_VERSION:
        try:
            os.kill(os.getppid(), NO_SIGNAL)
        except PermissionError:
            return
        raise OSError("Landlock does not refuse signals")


def _enter_namespaces() -> None:
    uid, gid = os.getuid(), os.getgid()
    kernel.unshare(
        kernel.NEW_USER | kernel.NEW_MOUNT | kernel.NEW_NET | kernel.NEW_IPC | kernel.NEW_UTS
    )
    kernel.map_ids(uid, gid)
    for folder in PRIVATE:
        kernel.mount_private(folder, ROOM, NOTHING_RUNS)
    for folder in EMPTY:
        kernel.mount_private(folder, "size=0,nr_inodes=1", kernel.READ_ONLY | NOTHING_RUNS)
    os.chdir("/workdir")


def _close_files() -> None:
    """Close all descriptors except the channel, and redirect the standard streams to /dev/null."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.closerange(CHANNEL + 1, os.sysconf("SC_OPEN_MAX"))


def limit(
    libraries: AllocatedMemory | None,
    memory: int,
    cpu_seconds: int,
    file_size: int,
    open_files: int,
) -> None:
    """Set hard limits on this process. Raise `OSError` if the machine's limits are lower.

    `libraries`: the memory of this process before it runs a student's code, or None for no limit on
    memory. `memory`: bytes of address space, and of data, beyond `libraries`. `cpu_seconds`: of all
    threads. `file_size`: bytes. `open_files`: number of descriptors.
    """
    # memory is counted from `libraries`, because builds of torch differ in size
    limits = [
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_FSIZE, file_size),
        (resource.RLIMIT_NOFILE, open_files),
        (resource.RLIMIT_CORE, NO_DUMP),
    ]
    if libraries:
        limits += [
            (resource.RLIMIT_AS, libraries.address_space + memory),
            (resource.RLIMIT_DATA, libraries.data + memory),  # the examiner hands one down
        ]
    for kind, value in limits:
        _set_hard(kind, value)


def _set_hard(kind: int, value: int) -> None:
    """Set a limit on this process, soft and hard. Raise `OSError` if its hard limit is lower."""
    _, hard = resource.getrlimit(kind)
    if hard != resource.RLIM_INFINITY and hard < value:
        option = ULIMIT_OPTIONS.get(kind, "a")
        unit = KIBIBYTE if option in "dv" else 1  # in which the shell shows it
        raise OSError(f"`ulimit -H{option}` is {hard // unit}, and {value // unit} are needed")
    resource.setrlimit(kind, (value, value))
