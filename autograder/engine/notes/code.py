"""A submission's code as syntax trees: which library paths its names stand for.

Nothing here runs a student's code. Code that cannot be read is left out.
"""

import ast
import builtins
import contextlib
import itertools
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from autograder.engine.submission import Cell
from autograder.patterns import WORD, Pattern

MAX_DEPTH = 12  # of `a.b.c`, and of texts put together
MAX_MEANINGS = 8  # of one name
MAX_TEXT = 200  # characters of a text that names something
ROUNDS = 3  # of finding what names stand for that stand for other names
# magics: each quantifier stays within its line and gives nothing back
NOT_PYTHON = Pattern(rf"(?m)^([ \t]*)(?:[%!?].*|[{WORD}.]+[ \t]*=[ \t]*[%!].*)$")
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
BLOCKS = (ast.If, ast.Try, ast.With, ast.For, ast.While)  # at a cell's top, they bind names there
OF_PYTHON = frozenset(dir(builtins)) | {"__builtins__"}


@dataclass(frozen=True)
class BuiltName:
    """An attribute that is looked up by a name which the code puts together."""

    owner: str


@dataclass(frozen=True)
class Statement:
    """One statement at the top of a cell, or of a block there; a block's own line is one, too."""

    cell: str
    node: ast.AST
    nodes: list[ast.AST]  # it and all below it

    @property
    def lines(self) -> slice:
        """Its lines in the cell, from 0; none where the tree does not say."""
        return slice(getattr(self.node, "lineno", 1) - 1, getattr(self.node, "end_lineno", 0))

    @cached_property
    def used(self) -> list[str]:
        """The names that it takes from elsewhere: of a function's, not its arguments and locals."""
        names = set[str]()
        match self.node:
            case ast.ClassDef(bases=bases, decorator_list=decorators, body=body):
                parts: list[ast.AST] = [*bases, *decorators, *body]
            case node:
                parts = [node]
        for part in parts:
            below = self.nodes if part is self.node else _below(part)
            names |= {n.id for n in below if isinstance(n, ast.Name)} - _locals(part, below)
        return sorted(names)

    def names(self) -> Iterator[str]:
        """Yield the names that it binds, or whose attributes it sets."""
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


@dataclass
class Code:
    """The cells that can be read, and what the names in them stand for, wherever they are bound.

    Names are not told apart by their scopes: where one is bound twice, both count.
    """

    cells: dict[str, list[Statement]]
    paths: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    texts: dict[str, set[str | None]] = field(default_factory=lambda: defaultdict(set))
    assigned: list[tuple[str, ast.expr]] = field(default_factory=list)
    bound: set[str] = field(default_factory=set)  # otherwise than by an import
    stars: set[str] = field(default_factory=set)  # modules of which everything is imported

    def references(self, statement: Statement) -> Iterator[tuple[ast.AST, str | BuiltName]]:
        """Yield the nodes of a statement that stand for something of a library, and for what."""
        for node in statement.nodes:
            if isinstance(node, ast.Name | ast.Attribute | ast.Call):
                yield from ((node, path) for path in self.resolved(node))

    def resolved(self, node: ast.AST, depth: int = 0) -> list[str | BuiltName]:
        """Return the dotted paths of libraries, or the names of Python's own, that `node` can be."""
        if depth > MAX_DEPTH:
            return []
        match node:
            case ast.Name(id=name):
                return self._of_name(name)
            case ast.Attribute(value=owner, attr=name):
                return self._members(owner, {name}, depth)
            case ast.Call(func=ast.Name(id="getattr"), args=[owner, name, *_]):
                return self._members(owner, self.texts_of(name), depth)
            case ast.Call(func=function, args=[ast.Constant(value=str(name)), *_]):
                importers = {"__import__", "importlib.import_module"}
                return [name] if importers & {*self.resolved(function, depth + 1)} else []
        return []

    def texts_of(self, node: ast.expr, depth: int = 0) -> set[str | None]:
        """Return the texts that `node` can be; None stands for one that is put together."""
        if depth > MAX_DEPTH:
            return {None}
        match node:
            case ast.Constant(value=str(text)):
                return {text}
            case ast.Name(id=name):
                return set(self.texts.get(name, ()))
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                ends = self.texts_of(right, depth + 1)
                starts = self.texts_of(left, depth + 1) if ends else set()
                pairs = itertools.islice(itertools.product(starts, ends), MAX_MEANINGS)
                return {_joined(a, b) for a, b in pairs}
            case ast.BinOp() | ast.JoinedStr() | ast.Subscript() | ast.Call():
                return {None}
        return set()

    def find_meanings(self) -> None:
        """Find what names stand for that are assigned, once all cells were read."""
        for _ in range(ROUNDS):
            for name, value in self.assigned:
                for path in self.resolved(value):
                    if isinstance(path, str):
                        self.add_path(name, path)
                if len(self.texts.get(name, ())) < MAX_MEANINGS:
                    self.texts[name] |= self.texts_of(value)

    def add_path(self, name: str, path: str) -> None:
        """Note that a name stands for a path, too."""
        if len(self.paths.get(name, ())) < MAX_MEANINGS:
            self.paths[name].add(path)

    def _of_name(self, name: str) -> list[str | BuiltName]:
        if name in self.paths:
            return [*sorted(self.paths[name])]
        if name in self.bound:
            return []
        if name in OF_PYTHON:
            return [name]
        return [f"{module}.{name}" for module in sorted(self.stars)]

    def _members(
        self, owner: ast.expr, names: set[str | None], depth: int
    ) -> list[str | BuiltName]:
        found: list[str | BuiltName] = []
        for path in self.resolved(owner, depth + 1):
            if isinstance(path, str):
                start = "" if path in ("builtins", "__builtins__") else f"{path}."
                found += [
                    BuiltName(path) if name is None else f"{start}{name}"
                    for name in sorted(names, key=str)
                ]
        return list(dict.fromkeys(found))[:MAX_MEANINGS]  # else each level has times as many


def read_code(cells: Iterable[Cell]) -> Code:
    """Return what these cells say; those that are no Python are left out."""
    code = Code(read_cells(cells))
    for statement in itertools.chain(*code.cells.values()):
        for node in statement.nodes:
            _bind(code, node)
    code.find_meanings()
    return code


def read_cells(cells: Iterable[Cell]) -> dict[str, list[Statement]]:
    """Return the statements of cells by their ids; those that are no Python are left out."""
    found = {}
    for cell in cells:
        with contextlib.suppress(*UNREADABLE):
            read = _read_provided if cell.provided else read_statements
            found[cell.id] = read(cell.id, cell.source)
    return found


def read_statements(cell: str, source: str) -> list[Statement]:
    """Return the statements at the top of a cell, in their order. Raises one of UNREADABLE."""
    return list(_statements(cell, source))


_read_provided = lru_cache(read_statements)  # every submission has these


def _statements(cell: str, source: str) -> Iterator[Statement]:
    todo = list(reversed(_parsed(source).body))
    while todo:
        node = todo.pop()
        if not isinstance(node, BLOCKS):
            yield Statement(cell, node, _below(node))
            continue
        inside: list[ast.stmt] = []
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                inside.append(child)
            elif isinstance(child, ast.ExceptHandler):
                inside += child.body
            else:
                yield Statement(cell, child, _below(child))
        todo += reversed(inside)


@lru_cache
def names_defined(source: str) -> frozenset[str]:
    """Return the names that a cell binds at its top; none where it cannot be read."""
    try:
        return frozenset(name for one in read_statements("", source) for name in one.names())
    except UNREADABLE:
        return frozenset()


def _parsed(source: str) -> ast.Module:
    """The syntax tree of a cell, without its magics where it has some."""
    with warnings.catch_warnings(action="ignore"):
        try:
            return ast.parse(source)
        except SyntaxError:
            return ast.parse(NOT_PYTHON.sub(r"\1pass", source))


def _below(top: ast.AST) -> list[ast.AST]:
    """A node and all below it, but for such as have nothing to say: `ast.walk` takes twice as long."""
    found = [top]
    for node in found:  # which grows meanwhile
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                found += [item for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST) and value._fields:
                found.append(value)
    return found


def _bind(code: Code, node: ast.AST) -> None:
    """Note what a node says that names stand for."""
    kind = type(node)
    if kind is ast.Name:
        if isinstance(node.ctx, ast.Store):  # type: ignore[attr-defined]
            code.bound.add(node.id)  # type: ignore[attr-defined]
        return
    match node:
        case ast.Import(names=aliases):
            for alias in aliases:
                top = alias.name.partition(".")[0]
                code.add_path(alias.asname or top, alias.name if alias.asname else top)
        case ast.ImportFrom(module=str(module), names=aliases):
            for alias in aliases:
                if alias.name != "*":
                    code.add_path(alias.asname or alias.name, f"{module}.{alias.name}")
                elif len(code.stars) < MAX_MEANINGS:
                    code.stars.add(module)
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            code.assigned.append((name, value))
        case ast.NamedExpr(target=ast.Name(id=name), value=value):
            code.assigned.append((name, value))
        case ast.arg(arg=name) | ast.ClassDef(name=name) | ast.FunctionDef(name=name):
            code.bound.add(name)


def _locals(part: ast.AST, below: list[ast.AST]) -> set[str]:
    """The arguments and local names of a function; none of anything else."""
    if not isinstance(part, ast.FunctionDef):
        return set()
    stored = {n.id for n in below if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return stored | {node.arg for node in below if isinstance(node, ast.arg)}


def _bases(target: ast.expr) -> Iterator[str]:
    """`a`, `a.b`, `a[0]`, `(a, b)` -> the names `a`, `b`"""
    yield from (node.id for node in _below(target) if isinstance(node, ast.Name))


def _joined(start: str | None, end: str | None) -> str | None:
    whole = None if start is None or end is None else start + end
    return whole if whole and len(whole) <= MAX_TEXT else None
