"""Make the cells of a skeleton notebook from templates."""

from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, upgrade

from autograder.authoring.exercise_table import FORM_ONLY
from autograder.authoring.toolbox_file import SET_UP, rendered
from autograder.engine import AutograderError, courses

ENDS = ("how_i_used_ai", "closing", "hand_in")  # cells behind the last exercise
FOLDED: dict[str, Any] = {"cellView": "form", "tags": [courses.SKIP]}  # the cell `set_up`, in Colab


def with_exercise(
    notebook: NotebookNode, id: str, kind: str, words: dict[str, str]
) -> NotebookNode:
    """Return the notebook with the three cells of a new exercise.

    They are inserted after the last check cell, or else before the closing cells, and after a cell
    `set_up` if the notebook has none. `kind`: from `skeleton.KINDS`. `words`: replacements for the
    templates. Raises `AutograderError` if the name of a cell is in use.
    """
    taken = {cell.get("id") for cell in notebook.cells}
    taken |= {of_nbgrader(cell, "grade_id") for cell in notebook.cells}
    for name in (f"{id}_goal", id, courses.CHECK + id):
        if name in taken:
            raise AutograderError(f"The notebook has a cell `{name}` already.")
    notebook = upgrade(notebook)  # cells of old notebooks have no ids
    goal = template_cell(f"{kind}/goal.md", words, f"{id}_goal")
    solution = template_cell(
        f"{kind}/solution.py", words, id, nbgrader=_metadata(id, solution=True)
    )
    check = template_cell("notebook/check.py", words, courses.CHECK + id)
    check.metadata["nbgrader"] = _metadata(courses.CHECK + id, solution=False) | {"points": 1}
    if kind == "choice":
        check.metadata["tags"] = [FORM_ONLY]
    checks = [
        number
        for number, cell in enumerate(notebook.cells)
        if of_nbgrader(cell, "grade") and cell.cell_type == "code"
    ]
    ends = [number for number, cell in enumerate(notebook.cells) if cell.id in ENDS]
    position = checks[-1] + 1 if checks else min(ends, default=len(notebook.cells))
    tools = [] if SET_UP in taken else [template_cell("notebook/set_up.py", words, **FOLDED)]
    notebook.cells[position:position] = [*tools, goal, solution, check]
    return notebook


def template_cell(
    template: str, words: dict[str, str], id: str = "", **metadata: object
) -> NotebookNode:
    """Return a notebook cell with the text of this template, filled in with `words`.

    It is a Markdown cell if the template's name ends in `.md`, else a code cell. Its default id is
    the template's name without its suffix.
    """
    make = new_markdown_cell if template.endswith(".md") else new_code_cell
    text = rendered(template, words).rstrip("\n")
    return make(text, id=id or Path(template).stem, metadata=metadata)


def of_nbgrader(cell: NotebookNode, key: str) -> Any:
    """Return the value of `key` in a cell's nbgrader metadata, or False."""
    return cell.metadata.get("nbgrader", {}).get(key, False)


def _metadata(id: str, solution: bool) -> dict[str, object]:
    check = dict.fromkeys(("grade", "locked"), not solution)
    return {"schema_version": 3, "grade_id": id, "solution": solution, "task": False} | check
