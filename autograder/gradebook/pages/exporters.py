"""nbconvert's HTML exporter, made faster for our pages. `settings.py` sets it."""

from typing import Any

from nbconvert.exporters import HTMLExporter, TemplateExporter
from nbformat import NotebookNode


class PageExporter(HTMLExporter):
    """nbconvert's HTML exporter without the second pass over each finished page.

    In that pass, nbconvert parses the page again to find images without alternative text and
    elements missing in our templates. It takes four times as long as rendering the page.
    """

    def from_notebook_node(
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **options: Any
    ) -> tuple[Any, dict[str, Any]]:
        return TemplateExporter.from_notebook_node(self, nb, resources, **options)
