"""A preprocessor for `nbgrader generate_assignment` that embeds figures into the notebook, and what
tells an assignment of ours from one of nbgrader's, which is released as nbgrader does it.
"""

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
    """Replaces links of Markdown cells to SVG files by the pictures themselves, as `<img>` with a
    `data:` URL.

    Some programs show no SVG in Markdown's own images. Raises `OSError` if a file cannot be read.
    """

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        if not has_hidden_graders(self.parent):
            return nb, resources
        folder = Path(resources["metadata"]["path"])
        for cell in nb.cells:
            if cell.cell_type == "markdown":
                cell.source = FIGURE.sub(lambda found: _embedded(found, folder), cell.source)
        return nb, resources


def has_hidden_graders(part: Any) -> bool:
    """Whether hidden graders grade the assignment that is converted; True without a converter. `part`:
    nbgrader's converter, or what it made, such as its exporter. Raises `CourseError` if the course's
    configuration cannot be read.
    """
    while not isinstance(part, BaseConverter):
        if part is None:
            return True
        part = part.parent
    folders = part.coursedir
    return Assignment(folders.assignment_id, courses.read_course(Path(folders.root))).has_graders


def remove_figures(folder: Path) -> None:
    """Remove from a release's folder the SVG files that its notebook has embedded."""
    (path,) = folder.glob("*.ipynb")
    held = courses.figures_in(cell.source for cell in courses.read_cells(path))
    for figure in sorted(folder.rglob("*.svg")):
        if svg_address(figure.read_bytes()) in held:
            figure.unlink()
            if not any(figure.parent.iterdir()):
                figure.parent.rmdir()


def svg_address(data: bytes) -> str:
    """Return an SVG file's content as a `data:` URL."""
    return SVG + base64.b64encode(data).decode()


def _embedded(found: Any, folder: Path) -> str:
    """Return the `<img>` element for a link that FIGURE found; the file is read from `folder`."""
    data = files.read_regular(folder / unquote(found["path"]), MAX_FIGURE, folder)
    return f'<img alt="{html.escape(found["alt"])}" src="{svg_address(data)}">'
