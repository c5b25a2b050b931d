"""Parse a submission's code into syntax trees, statement by statement.

A student's code is never run here. Cells that cannot be parsed are left out.
"""

import ast
import contextlib
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from autograder.engine.notebooks.submission import Cell
from autograder.engine.texts.patterns import WORD, Pattern

# IPython magics: each quantifier stays within its line and never backtracks
NOT_PYTHON = Pattern(rf"(?m)^([ \t]*)(?:[%!?].*|[{WORD}.]+[ \t]*=[ \t]*[%!].*)$")
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
# blocks that bind global names at the top of a cell
BLOCKS = (ast.If, ast.Try, ast.With, ast.For, ast.While)


@dataclass(frozen=True)
class Statement:
    """One statement at the top of a cell, or in an `if`, `for`, `while`, `with` or `try` there.

    The expressions in the header of such a block count as statements, too.
    """

    cell: str
    node: ast.AST
    nodes: list[ast.AST]  # the node and all nodes below it

    @property
    def lines(self) -> slice:
        """The statement's lines in the cell, counted from 0, or empty if they are unknown."""
        return slice(getattr(self.node, "lineno", 1) - 1, getattr(self.node, "end_lineno", 0))

    @cached_property
    def used(self) -> list[str]:
        """The names that this statement uses, without a function's arguments and local names."""
        names = set[str]()
        match self.node:
            case ast.ClassDef(bases=bases, decorator_list=decorators, body=body):
                parts: list[ast.AST] = [*bases, *decorators, *body]
            case node:
                parts = [node]
        for part in parts:
            below = self.nodes if part is self.node else list(ast.walk(part))
            names |= {n.id for n in below if isinstance(n, ast.Name)} - _locals(part, below)
        return sorted(names)

    def names(self) -> Iterator[str]:
        """Yield the names of classes, functions and variables that this statement binds.

        Objects whose attributes or items are set count, imported names do not.
        """
        match self.node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                yield name
            case ast.Assign(targets=targets):
                for target in targets:
                    yield from _bases(target)
            case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
                yield from _bases(target)
            case ast.Expr(value=ast.Call(func=ast.Name(id="setattr"), args=[target, *_])):
                yield from _bases(target)


def read_cells(cells: Iterable[Cell]) -> dict[str, list[Statement]]:
    """Return the statements of each cell that can be parsed, by cell id."""
    statements = {}
    for cell in cells:
        with contextlib.suppress(*UNREADABLE):
            read = _read_provided if cell.provided else read_statements
            statements[cell.id] = read(cell.id, cell.source)
    return statements


def read_statements(cell: str, source: str) -> list[Statement]:
    """Return the statements at the top level of `source`, the code of the cell with the id `cell`.

    Raise one of the exceptions UNREADABLE if it cannot be parsed.
    """
    return list(_statements(cell, source))


_read_provided = lru_cache(read_statements)  # every submission has these


def _statements(cell: str, source: str) -> Iterator[Statement]:
    todo = list(reversed(_parsed(source).body))
    while todo:
        node = todo.pop()
        if not isinstance(node, BLOCKS):
            yield Statement(cell, node, list(ast.walk(node)))
            continue
        inside: list[ast.stmt] = []
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                inside.append(child)
            elif isinstance(child, ast.ExceptHandler):
                inside += child.body
            else:
                yield Statement(cell, child, list(ast.walk(child)))
        todo += reversed(inside)


@lru_cache
def names_defined(source: str) -> frozenset[str]:
    """Return the names that the code of a cell binds at its top level, or none if it is invalid."""
    try:
        return frozenset(
            name for statement in read_statements("", source) for name in statement.names()
        )
    except UNREADABLE:
        return frozenset()


def _parsed(source: str) -> ast.Module:
    # a magic is not valid Python: `pass` replaces it
    with warnings.catch_warnings(action="ignore"):
        try:
            return ast.parse(source)
        except SyntaxError:
            return ast.parse(NOT_PYTHON.sub(r"\1pass", source))


def _locals(part: ast.AST, below: list[ast.AST]) -> set[str]:
    """Return the arguments and local names of a function, an empty set for any other node."""
    if not isinstance(part, ast.FunctionDef):
        return set()
    stored = {n.id for n in below if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return stored | {node.arg for node in below if isinstance(node, ast.arg)}


def _bases(target: ast.expr) -> Iterator[str]:
    """Yield the names in an assignment's target: `a` for `a`, `a.b` and `a[0]`."""
    yield from (node.id for node in ast.walk(target) if isinstance(node, ast.Name))
