"""Our preprocessors for `nbgrader generate_assignment`: the released notebook needs no other file.

Figures become part of it, and a table says what its cells were, for the check before handing in.
"""

import base64
import html
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from nbformat.notebooknode import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.engine.assignment import PristineCell, pristine_cell
from autograder.files import read_regular
from autograder.patterns import Pattern
from autograder.toolbox.saved_notebook import fingerprint

SVG = "data:image/svg+xml;base64,"
MAX_FIGURE = 1 << 20
FIGURE = Pattern(r"!\[(?P<alt>[^\]]*)\]\((?P<path>[^)\s:]+\.svg)\)")
TABLE = "as_released"  # the cell with the table


class EmbedFigures(NbGraderPreprocessor):
    """Puts SVG files that Markdown cells link to into the cells.

    As `<img>`, since Markdown's own images may be no SVG in some programs. Raises `OSError`.
    """

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        folder = Path(resources["metadata"]["path"])
        for cell in nb.cells:
            if cell.cell_type == "markdown":
                cell.source = FIGURE.sub(lambda found: _embedded(found, folder), cell.source)
        return nb, resources


class FillInTable(NbGraderPreprocessor):
    """Writes the fingerprints of the cells that grading needs into the cell `as_released`."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        for cell in nb.cells:
            if cell.get("id") == TABLE:  # cells of old notebooks have none
                cell.source = table_text(fingerprints(map(pristine_cell, nb.cells)))
        return nb, resources


def fingerprints(cells: Iterable[PristineCell]) -> dict[str, str]:
    """By name, what students' cells, checks and the code around them say in the release."""
    return {
        cell.id: fingerprint(cell.source)
        for cell in cells
        if cell.solution or (cell.kind == "code" and not cell.demo)
        if cell.id != TABLE
    }


def table_text(table: dict[str, str]) -> str:
    """The code of the cell that holds the table."""
    lines = [f"    {json.dumps(name)}: {json.dumps(value)}," for name, value in table.items()]
    return "\n".join(["AS_RELEASED |= {  # fingerprints of the cells", *lines, "}"])


def svg_address(data: bytes) -> str:
    """A picture as a `data:` address."""
    return SVG + base64.b64encode(data).decode()


def _embedded(found: Any, folder: Path) -> str:
    data = read_regular(folder / unquote(found["path"]), MAX_FIGURE, folder)
    return f'<img alt="{html.escape(found["alt"])}" src="{svg_address(data)}">'
