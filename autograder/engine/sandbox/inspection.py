"""Check a candidate's walls from outside, by reports of the kernel that no code inside can change.

This file repeats all expected values, so that the check notices a wall that was never built.
"""

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from autograder.engine.limits.process import NAMESPACES, Limits

NAMES_OF_NAMESPACES = {  # name in /proc: name of the wall
    "pid": "process",
    "mnt": "mount",
    "net": "network",
    "ipc": "ipc",
    "uts": "uts",
    "user": "user",
    "cgroup": "cgroup",
}
OF_THE_PARENT = ("cgroup",)  # candidates share that of the parent, which they cannot see
LIMITS = {  # by their names in /proc
    "Max core file size": 1,
    "Max stack size": 8 << 20,
    "Max pending signals": 64,
    "Max locked memory": 0,
    "Max msgqueue size": 0,
}
THREADS = {"Max processes": 32}  # of a namespace; behind Landlock, the warm parent counts them
ALLOCATED = {"Max address space": "VmPeak", "Max data size": "VmData"}  # lines of /proc/.../status
KIBIBYTE = 1 << 10
GIVEN_BACK = 16 << 20  # bytes of data that a candidate may have freed since it set its limits
NAME_WIDTH = 26  # of the first column of /proc/.../limits
NO_CAPABILITY = "0000000000000000"
STATUS = {  # line of /proc/.../status: (expected value, name of the wall)
    "CapInh": (NO_CAPABILITY, "capabilities"),
    "CapPrm": (NO_CAPABILITY, "capabilities"),
    "CapEff": (NO_CAPABILITY, "capabilities"),
    "CapAmb": (NO_CAPABILITY, "capabilities"),
    "NoNewPrivs": ("1", "no new privileges"),
    "Seccomp": ("2", "filter"),
    "Umask": ("0077", "umask"),
}
PRIVATE = ("/tmp", "/workdir", "/dev/shm")
EMPTY = ("/proc", "/dev/pts")
DEVICES = tuple(f"/dev/{name}" for name in "null zero full random urandom tty".split())
FLAGS = ("nosuid", "nodev", "noexec")  # of the private folders
READ_ONLY = ("ro", "nosuid", "nodev")  # of all others
SIZES = {"size": "size=65536k", "inodes": "nr_inodes=4096"}
OPEN = {"0": "/dev/null", "1": "/dev/null", "2": "/dev/null"}
CHANNEL = "3"
KILLED_FIRST = "1000"


def find_gaps(
    level: str, pid: int, neighbour: int, limits: Limits, environment: dict[str, str]
) -> Iterator[str]:
    """Yield the names of the missing walls of a candidate.

    `level`: of the sandbox. `pid`, `neighbour`: process numbers of the candidate and of another
    candidate, as this process sees them. `limits`: its expected limits. `environment`: every
    variable that it may have, with its value. Raise `OSError` if the kernel's reports cannot be
    read.
    """
    folder = Path(f"/proc/{pid}")
    status = _fields(folder / "status", ":\t")
    if level == NAMESPACES:
        yield from _namespaces(pid, neighbour, int(status["PPid"]))
        yield from _mounts(folder)
    yield from _limits(folder, limits, THREADS if level == NAMESPACES else {})
    yield from _memory_limits(folder, status, limits.memory)
    for name, (expected, wall) in STATUS.items():
        if status.get(name) != expected:
            yield wall
    if (folder / "oom_score_adj").read_text().strip() != KILLED_FIRST:
        yield "first to be killed"
    if os.getsid(pid) != pid:
        yield "session"
    variables = (folder / "environ").read_bytes().decode(errors="replace").split("\0")
    allowed = {f"{name}={value}" for name, value in environment.items()}
    if not set(filter(None, variables)) <= allowed:
        yield "environment"
    links = {}
    for file in (folder / "fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            links[file.name] = os.readlink(file)
    if not links.pop(CHANNEL, "").startswith("socket:") or links != OPEN:
        yield "descriptors"


def _fields(file: Path, separator: str) -> dict[str, str]:
    lines = file.read_text().splitlines()
    return dict(line.split(separator, 1) for line in lines if separator in line)


def _namespaces(pid: int, neighbour: int, parent: int) -> Iterator[str]:
    """Yield the namespaces that the candidate `pid` shares with this process or with `neighbour`,
    another candidate, and the namespaces that its `parent` shares with this process.
    """
    for name, wall in NAMES_OF_NAMESPACES.items():
        this_process, of_parent, of_candidate, of_neighbour = (
            os.readlink(f"/proc/{number}/ns/{name}") for number in ("self", parent, pid, neighbour)
        )
        is_shared = of_candidate == of_neighbour and name not in OF_THE_PARENT
        if this_process in (of_parent, of_candidate) or is_shared:
            yield f"{wall} namespace"


def _limits(folder: Path, limits: Limits, threads: dict[str, int]) -> Iterator[str]:
    inside = limits.inside()
    expected = (
        LIMITS
        | threads
        | {
            "Max cpu time": inside["cpu_seconds"],
            "Max file size": inside["file_size"],
            "Max open files": inside["open_files"],
        }
    )
    actual = _soft_and_hard(folder)
    for name, value in expected.items():
        if actual.get(name) != [str(value)] * 2:
            yield f"limit: {name.removeprefix('Max ')}"


def _memory_limits(folder: Path, status: dict[str, str], memory: int) -> Iterator[str]:
    """Yield the limits on memory that allow more than `memory`, in bytes, beyond the memory of the
    candidate before it ran any code of a student.
    """
    actual = _soft_and_hard(folder)
    for name, field in ALLOCATED.items():  # now at least as much as then, less GIVEN_BACK
        allocated = int(status[field].removesuffix("kB")) * KIBIBYTE
        soft, hard = actual[name]
        if soft != hard or not hard.isdigit() or int(hard) > allocated + memory + GIVEN_BACK:
            yield f"limit: {name.removeprefix('Max ')}"


def _soft_and_hard(folder: Path) -> dict[str, list[str]]:
    lines = (folder / "limits").read_text().splitlines()
    return {line[:NAME_WIDTH].strip(): line[NAME_WIDTH:].split()[:2] for line in lines}


def _mounts(folder: Path) -> Iterator[str]:
    """Yield the gaps in the mounts: only private folders may be writable, and these must be small
    and allow no executables.
    """
    mounts = _topmost(folder)
    for path in PRIVATE:
        mount = mounts.pop(path, Mount())
        if mount.system != "tmpfs":
            yield f"private {path}"
        yield from (f"{flag} on {path}" for flag in FLAGS if flag not in mount.flags)
        yield from (
            f"{limit} of {path}" for limit, option in SIZES.items() if option not in mount.options
        )
    for path in EMPTY:
        if mounts.get(path, Mount()).system != "tmpfs":
            yield f"covered {path}"
    for path, mount in mounts.items():
        if path not in DEVICES:
            yield from (f"{flag} on {path}" for flag in READ_ONLY if flag not in mount.flags)


class Mount(NamedTuple):
    """A mount."""

    flags: Sequence[str] = ()
    system: str = ""  # type of the file system
    options: Sequence[str] = ()  # of the file system


def _topmost(folder: Path) -> dict[str, Mount]:
    """Return the visible mount by path: the last of several mounts at a path."""
    mounts = {}
    for line in (folder / "mountinfo").read_text().splitlines():
        mount_fields, _, system_fields = line.partition(" - ")
        path, flags = mount_fields.split()[4:6]
        system, *_, options = system_fields.split()
        mounts[path] = Mount(flags.split(","), system, options.split(","))
    return mounts
