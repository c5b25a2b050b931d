"""nbgrader preprocessors that remove from a source the solutions, or what in them is for staff alone."""

import ast
from collections.abc import Iterable
from urllib.parse import unquote

from nbformat.notebooknode import NotebookNode
from nbgrader.preprocessors import ClearSolutions as Clearing
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.engine.courses.cells import COMMENT, END, EXAMPLE, SKIP
from autograder.engine.courses.holes import read_marked_cell
from autograder.engine.texts.patterns import Pattern, escape

EXAMPLES = Pattern(rf"{EXAMPLE}(?s:.*?)(^[^\n]*{END}|\z)")  # from the first one to the end
KEPT = ("nbgrader", "deletable", "editable", "cellView", "jupyter", "tags")  # of an answer's cell
OUTPUTS_OF_WIDGETS = "widgets"  # where a notebook's metadata hold them


class ClearSolutions(Clearing):
    """Replaces each solution by a stub; if the rest of the cell only assigns dots (`name = ...`),
    the stub is left out.

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
    """Removes from code cells the comments (`#@ ...`) that name holes: the places that known
    mistakes fill.
    """

    def preprocess_cell(
        self, cell: NotebookNode, resources: dict, index: int
    ) -> tuple[NotebookNode, dict]:
        if cell.cell_type == "code":
            cell.source = read_marked_cell(cell.source).text
        return cell, resources


class ClearExamples(NbGraderPreprocessor):
    """Removes from texts the example answers below a marking scheme: what they are worth is staff's."""

    def preprocess_cell(
        self, cell: NotebookNode, resources: dict, index: int
    ) -> tuple[NotebookNode, dict]:
        if cell.cell_type == "markdown":
            cell.source = EXAMPLES.sub(r"\2", cell.source)
        return cell, resources


class ClearLeftovers(NbGraderPreprocessor):
    """Removes from a notebook without solutions what belonged to them: attachments to which no text
    refers any more, metadata of the cells that students fill in, and saved states of widgets.

    nbgrader clears the text of a solution and nothing else.
    """

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        nb.metadata.pop(OUTPUTS_OF_WIDGETS, None)
        return super().preprocess(nb, resources)

    def preprocess_cell(
        self, cell: NotebookNode, resources: dict, index: int
    ) -> tuple[NotebookNode, dict]:
        attachments = cell.pop("attachments", {})
        if shown := names_shown(cell.source, attachments):
            cell["attachments"] = {name: attachments[name] for name in attachments if name in shown}
        role = cell.metadata.get("nbgrader", {})
        if role.get("solution") or role.get("task"):
            for key in cell.metadata.keys() - set(KEPT):
                del cell.metadata[key]
            if "tags" in cell.metadata:
                cell.metadata.tags = [tag for tag in cell.metadata.tags if tag == SKIP]
        return cell, resources


def names_shown(text: str, names: Iterable[str]) -> set[str]:
    """Return those of these names of attachments to which the text refers outside of comments."""
    visible = unquote(COMMENT.sub("", text))
    return {
        name for name in names if Pattern(rf"attachment:{escape(name)}([^\w.-]|\z)").search(visible)
    }


def _without_needless_stub(source: str, stub: str) -> str:
    """Return the source without `stub` at its end, if what stands above only has dots to fill in;
    else unchanged.
    """
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
    """Whether a value is `...`, or a list, tuple or dict that contains `...`; `x[..., 0]` does not
    count.
    """
    match value:
        case ast.Constant():
            return value.value is ...
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Dict(values=items):
            return any(map(_has_dots, items))
    return False
