"""Tell an error of a visible check's own from an error in the student's code or answer.

A check may also raise because an answer has another form than it expects: None has no `shape`. So
an error is the check's own only if the expression that raised it, with all that its values were
made of, comes from the check and not from the notebook. The lines of the check tell that.
"""

import ast
import builtins
import linecache
from collections.abc import Iterator
from types import BuiltinFunctionType, FrameType, FunctionType, ModuleType, TracebackType

import torch
from torch import Tensor

from autograder.toolbox.student import names
from autograder.toolbox.telling import is_own_frame

DOORS = {"student", "names"}  # by which a check gets what the notebook defines
FIXED = (  # a value of another type, such as a list, may hold what the student's code put into it
    *(Tensor, torch.Size, torch.dtype, int, float, complex, str, bytes, type, type(None)),
    *(ModuleType, FunctionType, BuiltinFunctionType),
)
Binding = tuple[set[str], set[str]]  # names that are assigned, and the names in their value


def is_of_check(error: BaseException) -> bool:
    """Whether the check itself raised this exception and would raise it for any answer. False if
    that is not clear, and for assertions.
    """
    if isinstance(error, AssertionError):
        return False
    for frame, instruction in reversed(list(_instructions(error.__traceback__))):
        if frame.f_globals is names():
            return False
        if not is_own_frame(frame):
            continue  # a library raises for its caller
        tree = _tree_of(frame.f_code.co_filename)
        operands = _operands_of(tree, frame, instruction)
        notebook_names, caller_names = _origins(tree, frame)
        if operands is None or operands & notebook_names:
            return False
        if not operands & caller_names:
            return True
    return False


def _tree_of(file: str) -> ast.Module:
    """Return the syntax tree of a file, an empty one if it cannot be read any more."""
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def _instructions(traceback: TracebackType | None) -> Iterator[tuple[FrameType, int]]:
    """Yield the frames of a traceback from the outermost, each with the index of its instruction."""
    while traceback is not None:
        yield traceback.tb_frame, traceback.tb_lasti // 2
        traceback = traceback.tb_next


def _operands_of(tree: ast.Module, frame: FrameType, instruction: int) -> set[str] | None:
    """Return the names in the smallest expression or import to which this instruction of the frame
    belongs; None if it belongs to none, as that of a `raise`. `tree`: of the frame's file.
    """
    first, last, begin, end = [*frame.f_code.co_positions()][instruction]
    if None in (first, last, begin, end):
        return None
    expressions = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.expr | ast.Import | ast.ImportFrom)
        and (node.lineno, node.col_offset) <= (first, begin)
        and (last, end) <= (node.end_lineno, node.end_col_offset)
    ]
    return (
        _names_in(expressions[-1]) if expressions else None
    )  # the walk goes from outside to inside


def _origins(tree: ast.Module, frame: FrameType) -> tuple[set[str], set[str]]:
    """Return the names that may hold something from the notebook, and those that may hold something
    from a caller, in the function, class or other statement at the top of the file that the frame
    is in.

    `tree`: of the file. Names of inner functions count as those of the outer one.
    """
    definitions = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    notebook_names = _spread(DOORS, [({node.name}, _names_in(node)) for node in definitions])
    for node in tree.body:
        if node.lineno <= frame.f_lineno <= (node.end_lineno or 0):
            bindings = list(_bindings(node))
            parameters = {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}
            mutable_names = {name for name in _names_in(node) if not _is_fixed(_value(name, frame))}
            notebook_names |= mutable_names - parameters
            return _spread(notebook_names, bindings), _spread(parameters, bindings)
    return notebook_names, set()


def _bindings(tree: ast.AST) -> Iterator[Binding]:
    """Yield the bindings of all assignments, loops and definitions within a function or class."""
    for node in ast.walk(tree):
        parts = dict(ast.iter_fields(node))
        targets = [parts.get("target"), parts.get("optional_vars"), *parts.get("targets", [])]
        if names_assigned := _names_in(*targets):
            yield names_assigned, _names_in(*map(parts.get, ("value", "iter", "context_expr")))
        if isinstance(node, ast.ExceptHandler) and node.name:
            yield {node.name}, DOORS
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield {node.name}, _names_in(node)


def _spread(first: set[str], bindings: list[Binding]) -> set[str]:
    """Return the names in `first`, and all that are assigned a value made of these, directly or not."""
    spread = set(first)
    while more := set().union(*(targets - spread for targets, names in bindings if names & spread)):
        spread |= more
    return spread


def _names_in(*trees: ast.AST | None) -> set[str]:
    """Return the names that occur in these expressions or statements."""
    nodes = (node for tree in trees if tree is not None for node in ast.walk(tree))
    return {node.id for node in nodes if isinstance(node, ast.Name)}


def _is_fixed(value: object) -> bool:
    """Whether a value, and if it is a tuple each of its items, is of a type in FIXED."""
    return all(map(_is_fixed, value)) if isinstance(value, tuple) else isinstance(value, FIXED)


def _value(name: str, frame: FrameType) -> object:
    """Return the value that a name has in a frame; None if it has none there."""
    for space in (frame.f_locals, frame.f_globals, vars(builtins)):
        if name in space:
            return space[name]
    return None
