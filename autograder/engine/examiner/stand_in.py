"""The examiner's side of stand-ins: send the functions that they compute, parse their calls."""

import ast
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from types import ModuleType

import torch

from autograder.engine.candidate.known import Part
from autograder.engine.course.assignment import GraderError
from autograder.engine.examiner.bounds import check_built
from autograder.engine.examiner.descriptions import plain

IMPORTED = frozenset({"math", "torch", "types"})  # by modules that candidates get as text


@dataclass(frozen=True)
class StandInCall:
    """One call of a stand-in that computes, and its arguments if a grader asked for them."""

    part: Part
    kept: list | None  # the arguments of the statement, in its order, where a grader asked for them

    @property
    def handed(self) -> list:
        """The arguments of the statement, in its order. Raises `GraderError` if they were not kept."""
        if self.kept is None:
            raise GraderError("what a stand-in is handed is kept with `keeps=True`")
        return self.kept


def shipped(
    function: Callable[..., torch.Tensor],
) -> tuple[str, str, dict[str, object]]:
    """Return a function as it is sent to the candidate: the source of its module, its name, its
    keyword arguments.

    Raises `GraderError` if it is no function of a module, or its module imports too much.
    """
    given = function.keywords if isinstance(function, partial) else {}
    bare = function.func if isinstance(function, partial) else function
    module, name = inspect.getmodule(bare), getattr(bare, "__name__", "")
    if not (inspect.isfunction(bare) and module and vars(module).get(name) is bare):
        raise GraderError(f"a stand-in computes a function of a module, and no {bare!r}")
    return text_of(module), name, given


@cache
def text_of(module: ModuleType) -> str:
    """Return the source of a module that a candidate may get.

    Raises `GraderError` if it imports anything but torch, math and types.
    """
    text = inspect.getsource(module)
    if not _imported(text) <= IMPORTED:
        words = "is sent to candidates: it may import torch, math and types alone"
        raise GraderError(f"`{module.__name__}` {words}")
    return text


def _imported(text: str) -> set[str]:
    """Return the packages that a module's source imports; an empty name for its own package."""
    names: list[str] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            names.append("" if node.level else node.module or "")
    return {name.partition(".")[0] for name in names}


def read_call(received: object) -> StandInCall:
    """Parse a candidate's report of one call of a stand-in. Raises `ValueError` for another form."""
    match received:
        case (
            (str(name), int(number), int(place), dict(built)),
            None | list() as kept,
        ):
            part = Part(name, number, place, plain(built))
            check_built(part.built)
            return StandInCall(part, kept)
    raise ValueError("no call of a stand-in")
