"""A preprocessor for `nbgrader generate_assignment` that embeds figures into the notebook."""

import base64
import html
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from nbformat.notebooknode import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.files.reading import read_regular
from autograder.text.patterns import Pattern

SVG = "data:image/svg+xml;base64,"
MAX_FIGURE = 1 << 20
FIGURE = Pattern(r"!\[(?P<alt>[^\]]*)\]\((?P<path>[^)\s:]+\.svg)\)")


class EmbedFigures(NbGraderPreprocessor):
    """Replaces links of Markdown cells to SVG files by the pictures themselves, as `<img>` with a
    `data:` URL.

    Some programs show no SVG in Markdown's own images. Raises `OSError` if a file cannot be read.
    """

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        folder = Path(resources["metadata"]["path"])
        for cell in nb.cells:
            if cell.cell_type == "markdown":
                cell.source = FIGURE.sub(lambda found: _embedded(found, folder), cell.source)
        return nb, resources


def svg_address(data: bytes) -> str:
    """Return an SVG file's content as a `data:` URL."""
    return SVG + base64.b64encode(data).decode()


def _embedded(found: Any, folder: Path) -> str:
    """Return the `<img>` element for a link that FIGURE found; the file is read from `folder`."""
    data = read_regular(folder / unquote(found["path"]), MAX_FIGURE, folder)
    return f'<img alt="{html.escape(found["alt"])}" src="{svg_address(data)}">'
