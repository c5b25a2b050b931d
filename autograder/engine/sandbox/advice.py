"""Advice for a host on which the sandbox does not start, chosen by the reason for it."""

import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from autograder.engine.limits.memory import machine_memory
from autograder.engine.limits.process import MEBIBYTE, Limits, SandboxError

Advice = Callable[[], Iterable[str]]  # returns sentences
SETTINGS = Path("/proc/sys")
CONTAINER_FILES = (Path("/.dockerenv"), Path("/run/.containerenv"))
NAMESPACE_SETTINGS = (  # a setting of the kernel, the value that forbids namespaces, advice
    (
        "kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "AppArmor keeps user namespaces from ordinary programs here, as on Ubuntu 24.04: "
        "`sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0`.",
    ),
    (
        "kernel/unprivileged_userns_clone",
        "0",
        "This kernel keeps user namespaces to root: `sudo sysctl kernel.unprivileged_userns_clone=1`.",
    ),
    (
        "user/max_user_namespaces",
        "0",
        "User namespaces are switched off here: `sudo sysctl user.max_user_namespaces=10000`.",
    ),
)
NAMESPACE_WORDS = ("namespace", "uid map", "gid_map", "rtm_newaddr", "unshare", "mount", "setns")
CONTAINER = (
    "This is a container, which may forbid namespaces: start Docker with `--security-opt "
    "seccomp=unconfined --security-opt systempaths=unconfined`, Podman with `--security-opt "
    "seccomp=unconfined --security-opt unmask=ALL`, or grade outside."
)
NAMESPACES = (
    "User namespaces must be allowed: on Ubuntu 24.04 by "
    "`sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0`, in Docker by a seccomp profile."
)
ELSEWHERE = "Grade on Linux, for instance in a virtual machine: the walls are the Linux kernel's."
LANDLOCK = (
    "Landlock needs no namespaces and no rights: Linux 5.13 or newer has it where `landlock` is in "
    "/sys/kernel/security/lsm, and `--sandbox require` takes it."
)
PRACTICE = (
    "`--sandbox off` asks whether to grade without walls: practice, which no gradebook takes."
)
# memory of a process after its imports, with torch's largest build, which is on PyPI
ADDRESS_SPACE, DATA = 3200 * MEBIBYTE, 800 * MEBIBYTE
LIMIT = (
    "A limit on processes is too low here: raise it with `ulimit`, in /etc/security/limits.conf, or "
    "in the settings of the service that started this command."
)
FILES = "Raise the number of files that a process may open (`ulimit -n`) to 1024."
PROCESSES = (
    "If few processes are allowed here (`ulimit -u`, or `pids.max` of a container), allow 100 more."
)
UNREADABLE = (
    "Where root grades, candidates run as another user, who must be able to read Python and its "
    "packages: `chmod -R a+rX .venv`."
)
BROKEN = (
    "Python or a package does not start in the sandbox: install them again (`rm -rf .venv; make`)."
)
LEAKY = (
    "A submission could reach out of the sandbox on this host: grade on another one, with a current "
    "kernel and bubblewrap, and report it to this project."
)
SHORTER = "Set TMPDIR to a folder with a shorter path."
BUSY = "The disk or the processors are too busy: close other programs, and grade again."


def with_advice(error: SandboxError) -> SandboxError:
    """Return an error that tells a user why the sandbox does not work here, with advice."""
    problem = f"The sandbox does not work on {platform.node()}: {str(error).rstrip('.')}."
    return SandboxError(" ".join([problem, *advice_on(str(error))]))


def advice_on(problem: str) -> list[str]:
    """Return advice, in sentences, on `problem`, the message of a `SandboxError`.

    The list is empty if the message itself contains the advice, or the cause is unknown.
    """
    if sys.platform != "linux":
        return [ELSEWHERE]
    lowered = problem.lower()
    fitting = (advice for words, advice in CAUSES if any(word in lowered for word in words))
    advice = next(fitting, None)
    return [*advice()] if advice else []


def is_about_walls(problem: str) -> bool:
    """Whether `problem`, the message of a `SandboxError`, says that a kind of walls is forbidden,
    missing or leaky here.

    Otherwise the machine lacks memory, time or processes, perhaps for a moment.
    """
    of_both = ("do not hold", "bubblewrap is", "landlock", "not permitted", "permission denied")
    return any(word in problem.lower() for word in (*of_both, *NAMESPACE_WORDS))


def memory_advice() -> Iterator[str]:
    """Yield advice, in sentences, for a machine with too little memory to grade."""
    import resource  # Linux

    limits = {"v": (resource.RLIMIT_AS, ADDRESS_SPACE), "d": (resource.RLIMIT_DATA, DATA)}
    too_low = False
    for option, (kind, libraries) in limits.items():
        soft, _ = resource.getrlimit(kind)
        required = libraries + Limits.memory
        if soft != resource.RLIM_INFINITY and soft < required:
            too_low = True
            yield (
                f"`ulimit -{option}` allows a process {_gibibytes(soft)} here: raise it to "
                f"{_gibibytes(required)}, or install torch's build for CPUs (see README), which "
                "needs less."
            )
    if not too_low:
        yield (
            "There is not enough memory: this machine or container has "
            f"{_gibibytes(machine_memory())}. Close other programs, grade with `--jobs 1`, or allow "
            "the container more. One worker needs about 2 GiB."
        )


def _namespaces() -> Iterator[str]:
    forbidden = [
        sentence for name, value, sentence in NAMESPACE_SETTINGS if _setting(name) == value
    ]
    yield from forbidden or [NAMESPACES]
    if any(path.exists() for path in CONTAINER_FILES):
        yield CONTAINER
    yield LANDLOCK
    yield PRACTICE


def _broken() -> Iterator[str]:
    if os.geteuid() == 0:
        yield UNREADABLE
    yield BROKEN


def _disk() -> Iterator[str]:
    yield f"Make room in {tempfile.gettempdir()}, or set TMPDIR to a folder that has some."


def _always(*sentences: str) -> Advice:
    return lambda: sentences


def _setting(name: str) -> str | None:
    try:
        return (SETTINGS / name).read_text().strip()
    except OSError:
        return None


def _gibibytes(size: int) -> str:
    return f"{size / (1 << 30):.1f} GiB"


CAUSES: tuple[tuple[tuple[str, ...], Advice], ...] = (
    # words of a message in lower case, and the advice. The first match counts.
    (("do not hold",), _always(LEAKY)),
    (("libseccomp is not installed",), _always()),
    (("bubblewrap is not installed",), _always(LANDLOCK)),
    (("did not answer within",), _always(BUSY)),
    (
        ("memory", "ulimit -hv", "ulimit -hd", "failed to map segment", "bad_alloc", "was killed"),
        memory_advice,
    ),
    (("ulimit -h",), _always(LIMIT)),
    (("too many open files",), _always(FILES)),
    (("resource temporarily unavailable", "can't start new thread"), _always(PROCESSES)),
    (NAMESPACE_WORDS, _namespaces),
    (("path too long",), _always(SHORTER)),
    (("no space left", "quota exceeded", "read-only file system"), _disk),
    (("permission denied",), _broken),
    (("operation not permitted", "bwrap:", "landlock"), _namespaces),
    (("error", "no such file"), _broken),
)
