"""What runs on a worker: a grader of its own, made once, and one submission after another.

torch is imported here, when something is graded, and never in the process that runs a class.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING

from autograder.classroom.errors import NoWalls
from autograder.graded import Graded, ungraded
from autograder.handed import Handed
from autograder.stamp import PRACTICE, Terms, lock

if TYPE_CHECKING:
    from autograder.grade import Grader
    from autograder.sandbox import Walls

Task = Callable[[Terms, Handed], Graded]
Tell = Callable[[str], object]  # a sentence to whoever looks on

_walls: dict[str, Walls] = {}  # of this process, by level
_claim: list[int] = []  # the descriptor of this worker's claim, open as long as the worker lives
_one_at_a_time = Lock()  # a worker may have several threads


@dataclass(frozen=True)
class Introduction:
    """What a worker grades with."""

    grader: str  # hash of the graders in its checkout
    lock: str  # hash of Python's version and of the packages'
    sandbox: str


def introduce(terms: Terms) -> Introduction:
    """Make ready to grade; return with what. Raises `NoWalls`."""
    claim_a_processor()
    prepare(terms)
    return Introduction(terms.assignment.grader_hash, lock(), terms.sandbox)


def best_walls() -> tuple[str, str]:
    """Return the level of the best walls that there are here, and why there are no better ones."""
    from autograder.sandbox import choose_walls

    walls = choose_walls("auto")
    walls.close()
    return walls.level, walls.why


def prepare(terms: Terms) -> Grader:
    """Return a grader whose walls have been tried. Raises `NoWalls`."""
    from autograder.grade import Grader
    from autograder.sandbox import SandboxError, choose_walls

    with _one_at_a_time:
        if terms.sandbox not in _walls:
            try:
                _walls[terms.sandbox] = choose_walls(
                    "off" if terms.sandbox == PRACTICE else "require"
                )
            except SandboxError as error:
                raise NoWalls(str(error)) from error
        return Grader(terms.assignment, _walls[terms.sandbox], seed=terms.seed)


def grade(terms: Terms, handed: Handed) -> Graded:
    """Return what comes out for one submission. Raises `NoWalls`, and nothing else."""
    return replace(grade_traced(terms, handed), traces=[])


def grade_traced(terms: Terms, handed: Handed) -> Graded:
    """The same, with what every check heard and measured."""
    grader = prepare(terms)
    with _one_at_a_time:
        try:
            return grader.grade_handed(handed)
        except Exception as error:  # a bug of ours: it must not cost the others their verdicts
            grader.walls.close()
            return ungraded(
                terms, handed, f"a fault of the grader ({type(error).__name__}: {error})"
            )


def claim_a_processor() -> None:
    """Keep this thread, and what it starts, on a processor that no other worker here has claimed.

    Threads without end then slow down the worker that they were handed to, and no neighbour; and
    questions and answers, which take turns, need not wake up another processor each time. The claim
    is a name that the kernel gives once, and takes back however the process ends.
    """
    if _claim or not hasattr(os, "sched_setaffinity"):  # Linux
        return
    for processor in sorted(os.sched_getaffinity(0)):
        name = socket.socket(socket.AF_UNIX)
        try:
            name.bind(f"\0autograder-processor-{processor}")
        except OSError:  # somebody's
            name.close()
            continue
        _claim.append(name.detach())
        os.sched_setaffinity(0, {processor})
        return
