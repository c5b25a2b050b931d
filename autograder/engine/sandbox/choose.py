"""Choose the walls for `--sandbox require|auto|off`. If none can be built, say why, and what to do."""

from pathlib import Path

from autograder.engine.limits.process import NAMESPACES, PRACTICE, Limits, SandboxError
from autograder.engine.sandbox.advice import with_advice
from autograder.engine.sandbox.walls import Walls


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
        raise with_advice(error) from error
    return walls
