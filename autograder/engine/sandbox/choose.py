"""Choose the walls of a run. If none can be built, say why, and what to do."""

from pathlib import Path

from autograder.engine.limits.process import (
    PRACTICE,
    REQUIRE,
    WALLED,
    Limits,
    SandboxError,
)
from autograder.engine.sandbox.advice import is_about_walls, with_advice
from autograder.engine.sandbox.walls import Walls

BEST = "auto"


def choose_walls(wanted: str, hidden: tuple[Path, ...] = (), address: str | None = None) -> Walls:
    """Return walls that have passed the self-test. `wanted`: a level of the sandbox; or REQUIRE for
    the first of WALLED that this host has; or BEST, which falls back to practice.

    `hidden`: paths of the host, such as the graders, that a candidate must not see; `address`: that
    of a `ListeningParent` that is running, or None. Practice is not tested. Raise `SandboxError` if
    no walls hold.
    """
    if wanted == PRACTICE:
        return Walls(PRACTICE)
    problems: list[str] = []
    for level in WALLED if wanted in (REQUIRE, BEST) else (wanted,):
        walls = Walls(level, "; ".join(problems), hidden, address)
        try:
            walls.start(Limits()).end()
            return walls
        except SandboxError as error:
            problem = str(error).rstrip(".")
            if not is_about_walls(problem):  # no weaker walls because a moment was bad
                problems = [problem]
                break
            problems.append(problem)
    if wanted == BEST:
        return Walls(PRACTICE, why="; and ".join(problems))
    raise with_advice(SandboxError("; and ".join(problems)))
