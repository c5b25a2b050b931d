"""Find faults in the source of an assignment before nbgrader makes a version of it."""

import json
from collections.abc import Iterable, Iterator

import nbformat
from nbformat.notebooknode import NotebookNode

from autograder.authoring.leaks import cell_id
from autograder.engine import Assignment, notebooks


def source_faults(assignment: Assignment) -> list[str]:
    """Return a sentence for each fault that breaks a release, or makes it contain too much.

    Faults are an unreadable notebook, cells without ids, other notebooks in the folder, and
    unpaired or misplaced marks of solutions.
    """
    name = f"source/{assignment.id}/{assignment.source.name}"
    data = assignment.source.read_bytes()
    try:
        notebooks.json_parts.parse(data)
    except notebooks.Conflict as error:
        return [f"{name} has git's conflict markers ({error}): keep one version there."]
    except notebooks.Damaged as error:
        return [f"{name} is no notebook: its JSON is damaged{error}."]
    if not all("id" in cell for cell in json.loads(data)["cells"]):  # nbformat would make them up
        return [
            f"{name} has cells without an id: open it in JupyterLab and save it, so that each gets "
            "one."
        ]
    cells = nbformat.read(assignment.source, as_version=4).cells
    return [*_other_notebooks(assignment), *_faults_of_marks(assignment.source.name, cells)]


def _other_notebooks(assignment: Assignment) -> Iterator[str]:
    for other in sorted(assignment.source.parent.glob("*.ipynb")):
        if other.name != assignment.source.name:
            yield (
                f"source/{assignment.id}/{other.name} would be released, too: move it out of this "
                "folder."
            )


def _faults_of_marks(name: str, cells: Iterable[NotebookNode]) -> Iterator[str]:
    """Yield a sentence for each cell with marks of a solution that nbgrader does not accept."""
    for cell in cells:
        begins, ends = (cell.source.count(f"{word} SOLUTION") for word in ("BEGIN", "END"))
        location = f"{name}: the cell `{cell_id(cell)}`"
        if begins != ends:
            yield f"{location} has {begins} `BEGIN SOLUTION` and {ends} `END SOLUTION`: pair them."
        elif begins and not cell.metadata.get("nbgrader", {}).get("solution"):
            yield (
                f"{location} has `BEGIN SOLUTION` and is not a solution cell: make it one (in "
                "JupyterLab's Create Assignment), or remove the marks."
            )
