"""Choose the walls of a run, or raise an error with advice if none can be built."""

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


def choose_walls(sandbox: str, hidden: tuple[Path, ...] = (), address: str | None = None) -> Walls:
    """Return walls that have passed the self-test, or untested practice.

    `sandbox`: a level of the sandbox, or REQUIRE for the first of WALLED that works on this host, or
    BEST, which falls back to practice. `hidden`: paths of the host, such as the graders, that a
    candidate must not see. `address`: of a running `ListeningParent`, or None. Raise `SandboxError`
    if no walls hold.
    """
    if sandbox == PRACTICE:
        return Walls(PRACTICE)
    problems: list[str] = []
    for level in WALLED if sandbox in (REQUIRE, BEST) else (sandbox,):
        walls = Walls(level, "; ".join(problems), hidden, address)
        try:
            walls.start(Limits()).end()
            return walls
        except SandboxError as error:
            problem = str(error).rstrip(".")
            if not is_about_walls(problem):  # a lack of memory does not justify weaker walls
                problems = [problem]
                break
            problems.append(problem)
    if sandbox == BEST:
        return Walls(PRACTICE, why="; and ".join(problems))
    raise with_advice(SandboxError("; and ".join(problems)))
