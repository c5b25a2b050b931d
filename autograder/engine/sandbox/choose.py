"""Choose the walls of a run. If none can be built, say why, and what to do."""

from pathlib import Path

from autograder.engine.limits.process import (
    LANDLOCK,
    NAMESPACES,
    PRACTICE,
    REQUIRE,
    WALLED,
    Limits,
    SandboxError,
)
from autograder.engine.sandbox.advice import is_about_namespaces, with_advice
from autograder.engine.sandbox.walls import Walls

BEST = "auto"


def choose_walls(wanted: str, hidden: tuple[Path, ...] = (), address: str | None = None) -> Walls:
    """Return walls that have passed the self-test. `wanted`: a level of the sandbox; or REQUIRE for
    the first of WALLED that passes; or BEST, which falls back to practice.

    `hidden`: paths of the host, such as the graders, that a candidate must not see; `address`: that
    of a `ListeningParent` that is running, or None. Practice is not tested. Raise `SandboxError` if
    no walls hold.
    """
    if wanted == PRACTICE:
        return Walls(PRACTICE)
    problems: dict[str, SandboxError] = {}
    for level in WALLED if wanted in (REQUIRE, BEST) else (wanted,):
        walls = Walls(level, "; ".join(map(str, problems.values())), hidden, address)
        try:
            walls.start(Limits()).end()
            return walls
        except SandboxError as error:
            problems[level] = error
    problem = _joined(problems)
    if wanted == BEST:
        return Walls(PRACTICE, why=str(problem))
    raise with_advice(problem) from problem


def _joined(problems: dict[str, SandboxError]) -> SandboxError:
    """Return the error for a host on which no walls hold. `problems`: the errors by level. That of
    Landlock is left out if namespaces failed for another reason than that they are forbidden.
    """
    first, *_ = problems.values()
    if (
        LANDLOCK not in problems
        or NAMESPACES not in problems
        or not is_about_namespaces(str(first))
    ):
        return first
    return SandboxError(f"{str(first).rstrip('.')}; and {problems[LANDLOCK]}")
