"""The folded cell that each notebook carries: the modules of `autograder/toolbox/`, one after the other."""

import ast
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode

from autograder import toolbox
from autograder.engine.assignment import Assignment

CELL = "toolbox"
HEAD = "# The toolbox: pictures and checks. There is nothing to do here."  # seen where it is folded
FOR_CHECKING = "exercises saved_notebook fresh_run readiness".split()  # need nothing but Python
# each needs only those before it
MODULES = [
    *FOR_CHECKING,
    *"comparing laws pictures telling steps progress hand_in play own_lines".split(),
]
TOP = Path(toolbox.__file__).parent


def toolbox_source(modules: Sequence[str] = MODULES, head: str = HEAD) -> str:
    """Return the text of these modules as one: all imports once, then what the modules define."""
    imports = defaultdict[str, set[str]](set)  # by module, what is taken from it; "" is itself
    bodies = []
    for name in modules:
        text = (TOP / f"{name}.py").read_text(encoding="utf-8")
        lines, drop = text.splitlines(), set[int]()
        for node in ast.parse(text).body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                module = getattr(node, "module", "")
                imports[module] |= {ast.unparse(alias) for alias in node.names}
            elif node.lineno > 1:  # the docstring stays behind, too
                continue
            drop |= set(range(node.lineno - 1, node.end_lineno or 0))
        bodies.append("\n".join(line for i, line in enumerate(lines) if i not in drop).strip())
    whole = [f"import {name}" for name in sorted(imports.pop(""))]
    parts = [
        f"from {module} import {', '.join(sorted(names))}"
        for module, names in sorted(imports.items())
        if not module.startswith("autograder")
    ]
    return "\n".join([head, "", *whole, *parts]) + "\n\n\n" + "\n\n\n".join(bodies) + "\n"


def toolbox_is_stale(assignment: Assignment) -> bool:
    """Whether the source carries another toolbox than `autograder/toolbox/` makes now."""
    notebook = nbformat.read(assignment.source, as_version=4)
    return bool(_stale(notebook, CELL, toolbox_source().rstrip()))


def write_toolbox(assignment: Assignment) -> bool:
    """Bring the toolbox's cell in the assignment's source up to date; return whether it was not."""
    return write_made_cell(assignment, CELL, toolbox_source().rstrip())


def write_made_cell(assignment: Assignment, id: str, text: str) -> bool:
    """Give the cell of the source that has this id this text; return whether it had another."""
    notebook = nbformat.read(assignment.source, as_version=4)
    stale = _stale(notebook, id, text)
    for cell in stale:
        cell.source = text
    if stale:
        nbformat.write(notebook, assignment.source)
    return bool(stale)


def _stale(notebook: NotebookNode, id: str, text: str) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.id == id and cell.source != text]
