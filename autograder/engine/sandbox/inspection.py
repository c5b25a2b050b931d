"""Check a candidate's walls from outside, by what the kernel reports, which no code inside can
change.

All expected values are written in this file a second time, so that the check notices a wall that
the code which builds walls leaves out.
"""

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from autograder.engine.limits.process import NAMESPACES, Limits

NAMES_OF_NAMESPACES = {  # as /proc calls them
    "pid": "process",
    "mnt": "mount",
    "net": "network",
    "ipc": "ipc",
    "uts": "uts",
    "user": "user",
    "cgroup": "cgroup",
}
OF_THE_PARENT = ("cgroup",)  # candidates share its own: nothing shows it to them
LIMITS = {  # as /proc calls them
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
STATUS = {  # a line of /proc/.../status: what it must say, and the wall that it is about
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
    """Yield the names of the missing walls of the candidate `pid`. Raise `OSError` if the kernel's
    reports cannot be read.

    `level`: of the sandbox; `neighbour`: another candidate; both are process numbers as this process sees them. `limits`:
    those that it should have; `environment`: every variable that it may have, with its value.
    """
    here = Path(f"/proc/{pid}")
    status = _fields(here / "status", ":\t")
    if level == NAMESPACES:
        yield from _namespaces(pid, neighbour, int(status["PPid"]))
        yield from _mounts(here)
    yield from _limits(here, limits, THREADS if level == NAMESPACES else {})
    yield from _memory_limits(here, status, limits.memory)
    for name, (wanted, wall) in STATUS.items():
        if status.get(name) != wanted:
            yield wall
    if (here / "oom_score_adj").read_text().strip() != KILLED_FIRST:
        yield "first to be killed"
    if os.getsid(pid) != pid:
        yield "session"
    known = (here / "environ").read_bytes().decode(errors="replace").split("\0")
    if not set(filter(None, known)) <= {f"{name}={value}" for name, value in environment.items()}:
        yield "environment"
    links = {}
    for file in (here / "fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            links[file.name] = os.readlink(file)
    if not links.pop(CHANNEL, "").startswith("socket:") or links != OPEN:
        yield "descriptors"


def _fields(file: Path, separator: str) -> dict[str, str]:
    lines = file.read_text().splitlines()
    return dict(line.split(separator, 1) for line in lines if separator in line)


def _namespaces(pid: int, neighbour: int, parent: int) -> Iterator[str]:
    """Yield the names of the namespaces that the candidate `pid` shares with this process or with
    `neighbour`, another candidate, and of those that its `parent` shares with this process.
    """
    for name, wall in NAMES_OF_NAMESPACES.items():
        ours, parents, its, others = (
            os.readlink(f"/proc/{who}/ns/{name}") for who in ("self", parent, pid, neighbour)
        )
        shared = its == others and name not in OF_THE_PARENT
        if ours in (parents, its) or shared:
            yield f"{wall} namespace"


def _limits(here: Path, limits: Limits, threads: dict[str, int]) -> Iterator[str]:
    inside = limits.inside()
    wanted = (
        LIMITS
        | threads
        | {
            "Max cpu time": inside["cpu_seconds"],
            "Max file size": inside["file_size"],
            "Max open files": inside["open_files"],
        }
    )
    actual = _soft_and_hard(here)
    for name, value in wanted.items():
        if actual.get(name) != [str(value)] * 2:
            yield f"limit: {name.removeprefix('Max ')}"


def _memory_limits(here: Path, status: dict[str, str], memory: int) -> Iterator[str]:
    """Yield the names of the limits on memory that allow more than `memory`, in bytes, beyond what
    the candidate had before it ran any code of a student.

    `status`: the fields of its status, whose amounts of memory are at least what it had then.
    """
    actual = _soft_and_hard(here)
    for name, field in ALLOCATED.items():
        allocated = int(status[field].removesuffix("kB")) * KIBIBYTE
        soft, hard = actual[name]
        if soft != hard or not hard.isdigit() or int(hard) > allocated + memory + GIVEN_BACK:
            yield f"limit: {name.removeprefix('Max ')}"


def _soft_and_hard(here: Path) -> dict[str, list[str]]:
    """Return the soft and the hard limit by the name of the limit. `here`: the candidate's folder
    in /proc.
    """
    lines = (here / "limits").read_text().splitlines()
    return {line[:NAME_WIDTH].strip(): line[NAME_WIDTH:].split()[:2] for line in lines}


def _mounts(here: Path) -> Iterator[str]:
    """Yield the gaps in the mounts: only private folders may be writable, and these have to be
    small and allow no executables.

    `here`: the candidate's folder in /proc.
    """
    mounts = _topmost(here)
    for place in PRIVATE:
        mount = mounts.pop(place, Mount())
        if mount.system != "tmpfs":
            yield f"private {place}"
        yield from (f"{flag} on {place}" for flag in FLAGS if flag not in mount.flags)
        yield from (
            f"{what} of {place}" for what, word in SIZES.items() if word not in mount.options
        )
    for place in EMPTY:
        if mounts.get(place, Mount()).system != "tmpfs":
            yield f"covered {place}"
    for place, mount in mounts.items():
        if place not in DEVICES:
            yield from (f"{flag} on {place}" for flag in READ_ONLY if flag not in mount.flags)


class Mount(NamedTuple):
    """One mount: its flags, the type of its file system, and the options of that file system."""

    flags: Sequence[str] = ()
    system: str = ""
    options: Sequence[str] = ()


def _topmost(here: Path) -> dict[str, Mount]:
    """Return the visible mount by path; of several at one path, that is the last. `here`: the
    candidate's folder in /proc.
    """
    mounts = {}
    for line in (here / "mountinfo").read_text().splitlines():
        where, _, what = line.partition(" - ")
        place, flags = where.split()[4:6]
        system, *_, options = what.split()
        mounts[place] = Mount(flags.split(","), system, options.split(","))
    return mounts
