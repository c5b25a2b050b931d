"""Copies of a cell, disguised in the ways in which students disguise them."""

import ast
import builtins

KEPT = {"nn", "F", "torch", "math", "Tensor", "np"} | set(dir(builtins))


class Renaming(ast.NodeTransformer):
    """Gives other names to all that a cell binds: variables, parameters, attributes of `self`."""

    def __init__(self, tree: ast.AST, kept: set[str]):
        bound = {node.id for node in ast.walk(tree) if _stored(node, ast.Name)}
        bound |= {node.attr for node in ast.walk(tree) if _stored(node, ast.Attribute)}
        bound |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
        names = sorted(bound - KEPT - kept)
        self.new = {name: f"thing_{number}" for number, name in enumerate(names)}

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self.new.get(node.id, node.id)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        node.attr = self.new.get(node.attr, node.attr)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.arg = self.new.get(node.arg, node.arg)
        return node

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        self.generic_visit(node)
        node.arg = node.arg and self.new.get(node.arg, node.arg)
        return node


def _stored(node: ast.AST, kind: type) -> bool:
    return isinstance(node, kind) and isinstance(node.ctx, ast.Store)  # type: ignore[attr-defined]


def reformatted(cell: str, _: str = "") -> str:
    """Without comments, each statement on one line."""
    return ast.unparse(ast.parse(cell))


def renamed(cell: str, _: str = "") -> str:
    tree = ast.parse(cell)
    defined = {
        node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    return ast.unparse(Renaming(tree, defined).visit(tree))


def reordered(cell: str, _: str = "") -> str:
    """The methods of each class, and what stands beside each other, the other way round."""
    tree = ast.parse(cell)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            node.body.reverse()
    return ast.unparse(tree)


def without_types(cell: str, _: str = "") -> str:
    tree = ast.parse(cell)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
    return ast.unparse(tree)


def all_at_once(cell: str, _: str = "") -> str:
    return renamed(reordered(without_types(cell)))


def half(cell: str, other: str) -> str:
    """The first half of its lines, and the second half of another solution."""
    mine, theirs = cell.splitlines(), other.splitlines()
    return "\n".join(mine[: len(mine) // 2] + theirs[len(theirs) // 2 :])


def commented(cell: str, _: str = "") -> str:
    return f"# my own work\n{cell}\n# done\n"
