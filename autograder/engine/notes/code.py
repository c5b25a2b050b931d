"""Parse a submission's code into syntax trees, statement by statement.

No code of a student's is run. A cell that cannot be parsed is left out.
"""

import ast
import contextlib
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from autograder.engine.notebooks.submission import Cell
from autograder.engine.texts.patterns import WORD, Pattern

# magics: each quantifier stays within its line and gives nothing back
NOT_PYTHON = Pattern(rf"(?m)^([ \t]*)(?:[%!?].*|[{WORD}.]+[ \t]*=[ \t]*[%!].*)$")
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
BLOCKS = (ast.If, ast.Try, ast.With, ast.For, ast.While)  # at a cell's top, they bind names there


@dataclass(frozen=True)
class Statement:
    """One statement at the top level of a cell, or inside an `if`, `for`, `while`, `with` or `try`
    at that level: its syntax tree `node`, and `nodes`, that node and all below it. The expressions
    in the header of such a block count as statements, too.
    """

    cell: str
    node: ast.AST
    nodes: list[ast.AST]  # it and all below it

    @property
    def lines(self) -> slice:
        """The lines of the cell that the statement is in, counted from 0, as a slice; empty if the
        syntax tree does not say.
        """
        return slice(getattr(self.node, "lineno", 1) - 1, getattr(self.node, "end_lineno", 0))

    @cached_property
    def used(self) -> list[str]:
        """The names that this statement uses and that are bound elsewhere; for a function, its
        arguments and local names are left out.
        """
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
        """Yield the names of classes, functions and variables that this statement defines or
        assigns, and the names of objects whose attributes or items it sets; names that it imports
        are left out.
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
    """Parse cells; return the statements of each by its id. Cells that cannot be parsed are left
    out.
    """
    found = {}
    for cell in cells:
        with contextlib.suppress(*UNREADABLE):
            read = _read_provided if cell.provided else read_statements
            found[cell.id] = read(cell.id, cell.source)
    return found


def read_statements(cell: str, source: str) -> list[Statement]:
    """Return the statements at the top level of `source`, the code of the cell with the id `cell`,
    in order.

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
    """Return the names of classes, functions and variables that the code of a cell defines or
    assigns at its top level; an empty set if it cannot be parsed.
    """
    try:
        return frozenset(name for one in read_statements("", source) for name in one.names())
    except UNREADABLE:
        return frozenset()


def _parsed(source: str) -> ast.Module:
    """Return the syntax tree of a cell's code. If it is no valid Python, its magics are replaced by
    `pass` first. Raise `SyntaxError` if that does not help.
    """
    with warnings.catch_warnings(action="ignore"):
        try:
            return ast.parse(source)
        except SyntaxError:
            return ast.parse(NOT_PYTHON.sub(r"\1pass", source))


def _locals(part: ast.AST, below: list[ast.AST]) -> set[str]:
    """Return the arguments and local names of `part` if it is a function, else an empty set.
    `below`: the nodes below it.
    """
    if not isinstance(part, ast.FunctionDef):
        return set()
    stored = {n.id for n in below if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return stored | {node.arg for node in below if isinstance(node, ast.arg)}


def _bases(target: ast.expr) -> Iterator[str]:
    """Yield the names in the target of an assignment: `a` for `a`, `a.b` and `a[0]`; `a` and `b`
    for `(a, b)`.
    """
    yield from (node.id for node in ast.walk(target) if isinstance(node, ast.Name))
