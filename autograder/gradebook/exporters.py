"""nbgrader's exporters, with what a student wrote read by our own reader; see configuration.py."""

from pathlib import Path
from typing import Any

from nbconvert.exporters import HTMLExporter, NotebookExporter, TemplateExporter
from nbformat import NotebookNode
from nbgrader.converters import Autograde

from autograder.engine.notebook import read_notebook
from autograder.gradebook.notebooks import received_notebook


class ReceivedNotebookExporter(NotebookExporter):
    """Reads what was handed in as strictly as `grade` does: nbgrader sees nothing else of it."""

    def from_filename(
        self, filename: str, resources: dict[str, Any] | None = None, **options: Any
    ) -> tuple[Any, dict[str, Any]]:
        grading = self.parent
        if not (isinstance(grading, Autograde) and grading._sanitizing):
            return super().from_filename(filename, resources, **options)
        path = Path(filename)
        notebook = received_notebook(read_notebook(path, path.parent))
        return self.from_notebook_node(notebook, resources, **options)


class PageExporter(HTMLExporter):
    """Leaves the page as the template made it.

    nbconvert would read all of it again, which takes four times as long as making it, for images
    without a text and for elements that these templates do not have.
    """

    def from_notebook_node(
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **options: Any
    ) -> tuple[Any, dict[str, Any]]:
        return TemplateExporter.from_notebook_node(self, nb, resources, **options)
