"""nbconvert's exporter, as our pages need it; see settings.py."""

from typing import Any

from nbconvert.exporters import HTMLExporter, TemplateExporter
from nbformat import NotebookNode


class PageExporter(HTMLExporter):
    """Leaves the page as the template made it.

    nbconvert would read all of it again, which takes four times as long as making it, for images
    without a text and for elements that these templates do not have.
    """

    def from_notebook_node(
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **options: Any
    ) -> tuple[Any, dict[str, Any]]:
        return TemplateExporter.from_notebook_node(self, nb, resources, **options)
