"""The folded cell that each notebook carries: the modules of `autograder/toolbox/`, one after the other."""

import ast
from pathlib import Path

import nbformat

from autograder import toolbox
from autograder.engine.assignment import Assignment

CELL = "toolbox"
MODULES = (
    "exercises comparing laws pictures telling steps".split()
)  # each needs only those before it
TOP = Path(toolbox.__file__).parent


def toolbox_source() -> str:
    """Return the cell's text: all imports once, then what the modules define."""
    imports: dict[str, None] = {}
    bodies = []
    for name in MODULES:
        text = (TOP / f"{name}.py").read_text(encoding="utf-8")
        lines, drop = text.splitlines(), set[int]()
        for node in ast.parse(text).body:
            ours = isinstance(node, ast.ImportFrom) and (node.module or "").startswith("autograder")
            if isinstance(node, ast.Import | ast.ImportFrom) or node.lineno == 1:
                drop |= set(range(node.lineno - 1, node.end_lineno or 0))
                if node.lineno > 1 and not ours:
                    imports[ast.unparse(node)] = None
        bodies.append("\n".join(line for i, line in enumerate(lines) if i not in drop).strip())
    return "\n".join(sorted(imports)) + "\n\n\n" + "\n\n\n".join(bodies) + "\n"


def write_toolbox(assignment: Assignment) -> bool:
    """Bring the toolbox's cell in the assignment's source up to date; return whether it was not."""
    notebook = nbformat.read(assignment.source, as_version=4)
    text = toolbox_source().rstrip()
    stale = [cell for cell in notebook.cells if cell.id == CELL and cell.source != text]
    for cell in stale:
        cell.source = text
    if stale:
        nbformat.write(notebook, assignment.source)
    return bool(stale)
