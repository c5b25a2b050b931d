"""Choose the walls for `--sandbox require|auto|off`. If none can be built, say why, and what to do."""

import platform
import sys
from collections.abc import Iterator
from pathlib import Path

from autograder.engine.limits.process import NAMESPACES, PRACTICE, Limits, SandboxError
from autograder.engine.sandbox.walls import Walls

SETTINGS = Path("/proc/sys")
CONTAINER = (Path("/.dockerenv"), Path("/run/.containerenv"))
OBSTACLES = (  # a kernel's setting, the value that forbids walls, what to do about it
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
IN_A_CONTAINER = (
    "This is a container, which may forbid namespaces: start Docker with `--security-opt "
    "seccomp=unconfined --security-opt systempaths=unconfined`, Podman with `--security-opt "
    "seccomp=unconfined --security-opt unmask=ALL`, or grade outside."
)
IN_GENERAL = (
    "User namespaces must be allowed: on Ubuntu 24.04 by "
    "`sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0`, in Docker by a seccomp profile."
)
ELSEWHERE = "Grade on Linux, for instance in a virtual machine: the walls are the Linux kernel's."
OTHERWISE = (
    "`--sandbox off` asks whether to grade without walls: practice, which no gradebook takes."
)


def choose_walls(wanted: str, hidden: tuple[Path, ...] = (), address: str | None = None) -> Walls:
    """Return walls that have passed the self-test. `wanted` is the value of `--sandbox`: "require",
    "auto" or "off".

    `hidden`: paths of the host, such as the graders, that a candidate must not see; `address`: that
    of a `ListeningParent` that is running, or None. With "off", return practice, without a test. If
    the walls fail, "auto" returns practice, and "require" raises `SandboxError`.
    """
    walls = Walls(PRACTICE if wanted == "off" else NAMESPACES, hidden=hidden, address=address)
    if wanted == "off":
        return walls
    try:
        walls.start(Limits()).end()
    except SandboxError as error:
        if wanted == "auto":
            return Walls(PRACTICE, why=str(error))
        here = f"The sandbox does not work on {platform.node()}: {error}."
        raise SandboxError(" ".join([here, *_advice(error), OTHERWISE])) from error
    return walls


def _advice(error: SandboxError) -> Iterator[str]:
    """Yield sentences that say what prevents the walls on this host, or usually does, and what to
    do about it. `error`: why they failed.
    """
    if sys.platform != "linux":
        yield ELSEWHERE
        return
    if error.advice:
        yield error.advice
        return
    found = [sentence for name, value, sentence in OBSTACLES if _setting(name) == value]
    yield from found or [IN_GENERAL]
    if any(path.exists() for path in CONTAINER):
        yield IN_A_CONTAINER


def _setting(name: str) -> str | None:
    try:
        return (SETTINGS / name).read_text().strip()
    except OSError:
        return None
