"""Embed figures into the released notebook of an assignment with hidden graders."""

import base64
import html
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from nbformat.notebooknode import NotebookNode
from nbgrader.converters.base import BaseConverter
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.engine import Assignment, Pattern, courses, files

SVG = "data:image/svg+xml;base64,"
MAX_FIGURE = 1 << 20
FIGURE = Pattern(r"!\[(?P<alt>[^\]]*)\]\((?P<path>[^)\s:]+\.svg)\)")


class EmbedFigures(NbGraderPreprocessor):
    """Replaces links of Markdown cells to SVG files by `<img>` with a `data:` URL.

    Some programs do not show SVG in Markdown's own images. Raises `OSError` if a file cannot be
    read.
    """

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        if not has_hidden_graders(self.parent):
            return nb, resources
        folder = Path(resources["metadata"]["path"])
        for cell in nb.cells:
            if cell.cell_type == "markdown":
                cell.source = FIGURE.sub(lambda match: _embedded(match, folder), cell.source)
        return nb, resources


def has_hidden_graders(part: Any) -> bool:
    """Whether the converted assignment has hidden graders. True without a converter. `part`:
    nbgrader's converter, or a part of it such as its exporter. Raises `CourseError` if the
    course's configuration cannot be read.
    """
    while not isinstance(part, BaseConverter):
        if part is None:
            return True
        part = part.parent
    folders = part.coursedir
    return Assignment(folders.assignment_id, courses.read_course(Path(folders.root))).has_graders


def remove_figures(folder: Path) -> None:
    """Remove SVG files from a release's folder that its notebook has embedded."""
    (path,) = folder.glob("*.ipynb")
    embedded = courses.figures_in(cell.source for cell in courses.read_cells(path))
    for figure in sorted(folder.rglob("*.svg")):
        if svg_address(figure.read_bytes()) in embedded:
            figure.unlink()
            if not any(figure.parent.iterdir()):
                figure.parent.rmdir()


def svg_address(data: bytes) -> str:
    """Return an SVG file's content as a `data:` URL."""
    return SVG + base64.b64encode(data).decode()


def _embedded(match: Any, folder: Path) -> str:
    """Return the `<img>` element for a match of FIGURE."""
    data = files.read_regular(folder / unquote(match["path"]), MAX_FIGURE, folder)
    return f'<img alt="{html.escape(match["alt"])}" src="{svg_address(data)}">'
