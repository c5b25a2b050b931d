"""The examiner's side of stand-ins: prepare their functions, and parse reports of their calls."""

import ast
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from types import ModuleType

import torch

from autograder.engine.candidate.known import Part
from autograder.engine.courses.cells import GraderError
from autograder.engine.examiner.bounds import check_built
from autograder.engine.examiner.descriptions import plain

# allowed imports of modules that candidates get as text
IMPORTED = frozenset({"math", "torch", "types"})


@dataclass(frozen=True)
class StandInCall:
    """One call of a stand-in that computes a function: the stand-in, and its arguments."""

    part: Part
    kept: list | None  # in the order of the statement; None unless a grader asked for them

    @property
    def handed(self) -> list:
        """The arguments in the order of the statement. Raise `GraderError` if they are missing."""
        if self.kept is None:
            raise GraderError("what a stand-in is handed is kept with `keeps=True`")
        return self.kept


def shipped(
    function: Callable[..., torch.Tensor],
) -> tuple[str, str, dict[str, object]]:
    """Return the form in which a function is sent to the candidate: the source of its module, its
    name, the keyword arguments of a `partial`.

    Raise `GraderError` if it is not a function at the top of a module, or if the module imports
    anything but torch, math and types.
    """
    keywords = function.keywords if isinstance(function, partial) else {}
    bare = function.func if isinstance(function, partial) else function
    module, name = inspect.getmodule(bare), getattr(bare, "__name__", "")
    if not (inspect.isfunction(bare) and module and vars(module).get(name) is bare):
        raise GraderError(f"a stand-in computes a function of a module, and no {bare!r}")
    return text_of(module), name, keywords


@cache
def text_of(module: ModuleType) -> str:
    """Return the source of a module, to be sent to a candidate.

    Raise `GraderError` if it imports anything but torch, math and types.
    """
    text = inspect.getsource(module)
    if not _imported(text) <= IMPORTED:
        words = "is sent to candidates: it may import torch, math and types alone"
        raise GraderError(f"`{module.__name__}` {words}")
    return text


def _imported(text: str) -> set[str]:
    """Return the top-level packages that a module imports, and "" for a relative import."""
    names: list[str] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            names.append("" if node.level else node.module or "")
    return {name.partition(".")[0] for name in names}


def read_call(received: object) -> StandInCall:
    """Parse a candidate's report of a call of a stand-in. Raise `ValueError` for another form."""
    match received:
        case (
            (str(name), int(number), int(place), dict(built)),
            None | list() as arguments,
        ):
            part = Part(name, number, place, plain(built))
            check_built(part.built)
            return StandInCall(part, arguments)
    raise ValueError("no call of a stand-in")
