"""Keep cells running that need something the sandbox lacks: a package, a compiler.

A statement at the top of a cell that needs a missing package is left out, and the cell goes on:

    import seaborn as sns            left out: there is no `seaborn`
    sns.set_theme()                  left out: `sns` depends on it
    from functools import partial    runs
"""

import ast
import copy
from collections.abc import Callable, Collection, Iterator
from typing import Any

import torch
from torch import nn

MOST = 40  # names that are reported
MOST_LEFT_OUT = 50  # statements: the traceback of each takes time
LONGEST = 100  # characters of a name
EVERYTHING = "*"  # stands for the names that `from package import *` would have defined
COMPILER = "torch.compile"


class Lacking:
    """Records the missing packages, and the names that are undefined because of them.

    A part of a package, such as `torch.nn.Foo`, is recorded like a package.
    """

    def __init__(self) -> None:
        self.names: dict[str, str] = {}  # undefined name -> missing package
        self.packages: set[str] = set()
        self.left_out = 0  # number of statements
        self.reported: set[tuple[str, str]] = set()  # pairs (name, package) sent to the examiner

    def explains(
        self, error: BaseException | None, statement: ast.stmt, defined: Collection[str]
    ) -> bool:
        """Whether a top-level statement raised `error` because a package is missing.

        If so, record the names that it would have defined. `defined`: the existing global names.
        """
        package = self._package(error, statement)
        if package is None or self.left_out >= MOST_LEFT_OUT:
            return False
        self.left_out += 1
        self.packages.add(package)
        missing = {name for name in _bound(statement) if name not in defined}
        self.names |= dict.fromkeys(missing, package)
        return True

    def news(self) -> list[tuple[str, str]]:
        """Return the pairs (name, package) that are not reported yet, ("", package) for a package."""
        if not self.packages:
            return []
        pairs = {("", package) for package in self.packages} | set(self.names.items())
        short = {pair for pair in pairs if max(map(len, pair)) <= LONGEST}
        return sorted(short - self.reported)[: MOST - len(self.reported)]

    def _package(self, error: BaseException | None, statement: ast.stmt) -> str | None:
        """Return the missing package that made the statement raise `error`, else None."""
        if isinstance(error, ImportError):
            return _imported(statement) or (error.name if isinstance(error.name, str) else None)
        if type(error) is NameError and error.name:
            return self.names.get(error.name) or self.names.get(EVERYTHING)
        return None

    def replace_compiler(self) -> None:
        """Have `torch.compile` return a function or module unchanged, and record the call."""

        # a compiler is a process, and the sandbox has only one
        def unchanged(model: Callable | None = None, *_: Any, **__: Any) -> Any:
            self.packages.add(COMPILER)
            return (lambda decorated: decorated) if model is None else model

        def compile(module: nn.Module, *_: Any, **__: Any) -> None:
            self.packages.add(COMPILER)

        torch.compile = unchanged
        nn.Module.compile = compile  # type: ignore[assignment,method-assign]


def single_imports(statement: ast.stmt) -> list[ast.stmt]:
    """Split an import of several names into statements. Return other statements unchanged."""
    if not isinstance(statement, ast.Import | ast.ImportFrom):
        return [statement]
    return [_with_names(statement, [alias]) for alias in statement.names]


def _with_names(statement: Any, names: list[ast.alias]) -> ast.stmt:
    single = copy.copy(statement)
    single.names = names
    return single


def _imported(statement: ast.stmt) -> str | None:
    """Return the dotted path that an import of a single name imports, else None."""
    match statement:
        case ast.Import(names=[alias]):
            return alias.name
        case ast.ImportFrom(module=module, names=[alias], level=level):
            module = "." * level + (module or "")
            return module if alias.name == EVERYTHING else f"{module}.{alias.name}"
    return None


def _bound(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement defines at the top level of a cell."""
    todo: list[ast.AST] = [statement]
    while todo:
        match node := todo.pop():
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                yield node.name
                continue
            case ast.alias(name=name, asname=asname):
                yield asname or name.partition(".")[0]
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
        todo += ast.iter_child_nodes(node)
