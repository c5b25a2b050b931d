"""The first cell of code: it installs and fetches what is missing, and imports the checks.

Its text is the same in all notebooks but for the assignment's name; the release fills in the version
and what may be fetched (`release_files.py`).
"""

import nbformat
from jinja2 import Environment, PackageLoader
from nbformat.notebooknode import NotebookNode

from autograder.engine.course.assignment import Assignment

CELL = "set_up"
TEMPLATES = Environment(loader=PackageLoader("autograder.authoring", "templates/notebook"))


def set_up_source(assignment: str) -> str:
    """Return the cell's text in an assignment's source."""
    return TEMPLATES.get_template("set_up.py.jinja").render(assignment=assignment).rstrip()


def set_up_is_stale(assignment: Assignment) -> bool:
    """Whether the source has another text in this cell than it has to have."""
    return bool(_stale(nbformat.read(assignment.source, as_version=4), assignment))


def write_set_up(assignment: Assignment) -> bool:
    """Bring the cell in the assignment's source up to date; return whether it was not."""
    notebook = nbformat.read(assignment.source, as_version=4)
    stale = _stale(notebook, assignment)
    for cell in stale:
        cell.source = set_up_source(assignment.id)
    if stale:
        nbformat.write(notebook, assignment.source)
    return bool(stale)


def _stale(notebook: NotebookNode, assignment: Assignment) -> list[NotebookNode]:
    wanted = set_up_source(assignment.id)
    return [cell for cell in notebook.cells if cell.id == CELL and cell.source != wanted]
