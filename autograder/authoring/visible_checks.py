"""What the visible checks of a notebook say about code: the source's cells, run as a student runs them."""

import contextlib
import io
import linecache
from collections.abc import Mapping
from types import CodeType
from typing import Any

import matplotlib
import nbformat

from autograder.engine.assignment import Assignment

CHECK = "check_"


class VisibleChecks:
    """The code cells of an assignment's source, with other solutions put in.

    `run` executes, in order, what the release runs before a check, and the check itself; cells that
    are tagged `skip-grading` are left out.
    """

    def __init__(self, assignment: Assignment):
        matplotlib.use("agg")
        self.solutions = dict(assignment.solutions)
        notebook = nbformat.read(assignment.source, as_version=4)
        self.cells = {
            cell.id: cell.source
            for cell in notebook.cells
            if cell.cell_type == "code" and "skip-grading" not in cell.metadata.get("tags", [])
        }

    def run(self, cells: Mapping[str, str], *exercises: str) -> dict[str, Any]:
        """Return the results of these exercises' checks, by exercise, with `cells` as their solutions."""
        wanted = {f"{CHECK}{name}" for name in exercises}
        space: dict[str, Any] = {"__name__": "__main__"}
        with contextlib.redirect_stdout(io.StringIO()):
            for id, source in self.cells.items():
                if not id.startswith(CHECK) or id in wanted:
                    exec(_compiled(id, cells.get(id, self.solutions.get(id, source))), space)
        return {name: space["RESULTS"][name] for name in exercises}


def _compiled(id: str, source: str) -> CodeType:
    """A cell as code whose lines tracebacks can show, without notebook magics."""
    text = "\n".join(
        "pass" if line.lstrip().startswith(("%", "!")) else line for line in source.splitlines()
    )
    file = f"<cell {id}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    return compile(text, file, "exec")
