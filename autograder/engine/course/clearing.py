"""nbgrader preprocessors that remove solutions, and the comments that name holes, from a source."""

import ast

from nbformat.notebooknode import NotebookNode
from nbgrader.preprocessors import ClearSolutions as Clearing
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.engine.catalogue.holes import read_marked_cell


class ClearSolutions(Clearing):
    """Replaces each solution with a stub, unless the rest of the cell is `name = ...` already.

    A stub that raises outside of a function would stop `Run All`, and would stay when the dots are
    filled in.
    """

    def preprocess_cell(
        self, cell: NotebookNode, resources: dict, index: int
    ) -> tuple[NotebookNode, dict]:
        cell, resources = super().preprocess_cell(cell, resources, index)
        if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("solution"):
            language = resources.get("language", "python")
            cell.source = _without_needless_stub(cell.source, self.code_stub.get(language, ""))
        return cell, resources


class ClearHoles(NbGraderPreprocessor):
    """Removes the comments that name holes from code cells."""

    def preprocess_cell(
        self, cell: NotebookNode, resources: dict, index: int
    ) -> tuple[NotebookNode, dict]:
        if cell.cell_type == "code":
            cell.source = read_marked_cell(cell.source).text
        return cell, resources


def _without_needless_stub(source: str, stub: str) -> str:
    """Return the source without the stub at its end, if dots above it are to be filled in."""
    above = source.rstrip().removesuffix(stub).rstrip()
    return above if stub and above != source.rstrip() and _is_to_be_filled_in(above) else source


def _is_to_be_filled_in(source: str) -> bool:
    """Whether the source consists of assignments only, at least one of them of dots."""
    try:
        statements = ast.parse(source).body
    except SyntaxError:
        return False
    assigned = [one.value for one in statements if isinstance(one, ast.Assign | ast.AnnAssign)]
    return len(assigned) == len(statements) and any(map(_has_dots, assigned))


def _has_dots(value: ast.expr | None) -> bool:
    """Whether a value is `...`, or a list, tuple or dict with `...` in it; `x[..., 0]` is not."""
    match value:
        case ast.Constant():
            return value.value is ...
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Dict(values=items):
            return any(map(_has_dots, items))
    return False
