"""nbgrader preprocessors that remove solutions and other parts for staff alone from a source."""

import ast
from collections.abc import Iterable
from urllib.parse import unquote

from nbformat.notebooknode import NotebookNode
from nbgrader.preprocessors import ClearSolutions as Clearing
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.engine.courses.cells import COMMENT, END, EXAMPLE, SKIP
from autograder.engine.courses.holes import read_marked_cell
from autograder.engine.texts.patterns import Pattern, escape

# from the first example answer to the end
EXAMPLES = Pattern(rf"{EXAMPLE}(?s:.*?)(^[^\n]*{END}|\z)")
# metadata of an answer's cell that stay
KEPT = ("nbgrader", "deletable", "editable", "cellView", "jupyter", "tags")
OUTPUTS_OF_WIDGETS = "widgets"  # key in a notebook's metadata


class ClearSolutions(Clearing):
    """Replaces each solution by a stub, except in cells that only assign dots (`name = ...`).

    A stub that raises outside of a function would stop `Run All`, and would remain when the student
    fills in the dots.
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
    """Removes the comments (`#@ ...`) that name holes for known mistakes from code cells."""

    def preprocess_cell(
        self, cell: NotebookNode, resources: dict, index: int
    ) -> tuple[NotebookNode, dict]:
        if cell.cell_type == "code":
            cell.source = read_marked_cell(cell.source).text
        return cell, resources


class ClearExamples(NbGraderPreprocessor):
    """Removes example answers, which are for staff alone, from the texts of marking schemes."""

    def preprocess_cell(
        self, cell: NotebookNode, resources: dict, index: int
    ) -> tuple[NotebookNode, dict]:
        if cell.cell_type == "markdown":
            cell.source = EXAMPLES.sub(r"\2", cell.source)
        return cell, resources


class ClearLeftovers(NbGraderPreprocessor):
    """Removes leftovers of solutions: unused attachments, metadata of the cells that students fill
    in, and saved states of widgets.

    nbgrader clears the text of a solution and nothing else.
    """

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        nb.metadata.pop(OUTPUTS_OF_WIDGETS, None)
        return super().preprocess(nb, resources)

    def preprocess_cell(
        self, cell: NotebookNode, resources: dict, index: int
    ) -> tuple[NotebookNode, dict]:
        attachments = cell.pop("attachments", {})
        if referenced := names_shown(cell.source, attachments):
            cell["attachments"] = {
                name: attachments[name] for name in attachments if name in referenced
            }
        role = cell.metadata.get("nbgrader", {})
        if role.get("solution") or role.get("task"):
            for key in cell.metadata.keys() - set(KEPT):
                del cell.metadata[key]
            if "tags" in cell.metadata:
                cell.metadata.tags = [tag for tag in cell.metadata.tags if tag == SKIP]
        return cell, resources


def names_shown(text: str, names: Iterable[str]) -> set[str]:
    """Return the attachments among `names` to which the text refers outside of comments."""
    visible = unquote(COMMENT.sub("", text))
    return {
        name for name in names if Pattern(rf"attachment:{escape(name)}([^\w.-]|\z)").search(visible)
    }


def _without_needless_stub(source: str, stub: str) -> str:
    above = source.rstrip().removesuffix(stub).rstrip()
    return above if stub and above != source.rstrip() and _is_to_be_filled_in(above) else source


def _is_to_be_filled_in(source: str) -> bool:
    """Whether the source only has assignments, and at least one assigns dots."""
    try:
        statements = ast.parse(source).body
    except SyntaxError:
        return False
    assigned = [
        statement.value
        for statement in statements
        if isinstance(statement, ast.Assign | ast.AnnAssign)
    ]
    return len(assigned) == len(statements) and any(map(_has_dots, assigned))


def _has_dots(value: ast.expr | None) -> bool:
    """Whether a value is or contains `...`. Dots in an index, as in `x[..., 0]`, do not count."""
    match value:
        case ast.Constant():
            return value.value is ...
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Dict(values=items):
            return any(map(_has_dots, items))
    return False
