"""Which walls a run gets: `--sandbox require|auto|off`."""

import platform

from autograder.sandbox.bubblewrap import SandboxError
from autograder.sandbox.walls import PRACTICE, Limits, Walls


def choose_walls(wanted: str) -> Walls:
    """Return the walls for `--sandbox require|auto|off`. Raises `SandboxError` where there are none."""
    if wanted == "off":
        return Walls(PRACTICE)
    try:
        walls = Walls()
        walls.start(Limits()).end()
        return walls
    except SandboxError as error:
        if wanted == "auto":
            return Walls(PRACTICE)
        raise SandboxError(f"The sandbox does not work here ({error}). {_advice()}") from error


def _advice() -> str:
    if platform.system() != "Linux":
        return "Grade on Linux; `--sandbox off` gives practice verdicts that no gradebook takes."
    return (
        "User namespaces must be allowed: on Ubuntu 24.04 an AppArmor profile for bwrap or "
        "`sysctl kernel.apparmor_restrict_unprivileged_userns=0`, in Docker a seccomp profile that "
        "permits them. `--sandbox off` gives practice verdicts that no gradebook takes."
    )
