"""Begin an assignment or an exercise with skeleton files, which can be graded as they are;
TODO(author) marks what the author has to write.

An assignment gets a notebook, visible checks and a package of graders. An exercise gets three
cells, steps of its visible check, a grader, a file of mistakes, a variant, and a part of the
reference. Existing files are not changed, except that the notebook gets cells, and the visible
checks and `reference.py` a part at their end.
"""

import ast
import os
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, upgrade

from autograder.authoring.exercise_table import FORM_ONLY
from autograder.authoring.new_names import (
    default_name,
    defined,
    refuse_assignment_name,
    refuse_exercise,
)
from autograder.authoring.toolbox_file import SET_UP, rendered
from autograder.authoring.visible_checks import checks_file
from autograder.engine.course.assignment import Assignment
from autograder.engine.course.cells import CHECK, SKIP
from autograder.engine.course.course import Course
from autograder.files.writing import replacing
from autograder.text.errors import CommandError

# what a student defines: a class, a function, a variable, a dict of answers to given statements
KINDS = ("module", "function", "value", "choice")
ENDS = ("how_i_used_ai", "closing", "hand_in")  # cells behind the last exercise
OF_TORCH = "Tensor", "nn", "tensor"  # names that parts of the reference and of the checks use
FOLDED: dict[str, Any] = {"cellView": "form", "tags": [SKIP]}  # the cell `set_up`, in Colab
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def begin_assignment(id: str, course: Course) -> list[Path]:
    """Write the notebook, the visible checks and the package of graders of a new assignment; return
    the paths of the files.

    Raises `CommandError` if no assignment can have this id, or if something is there already.
    """
    refuse_assignment_name(id)
    assignment = Assignment(id, course)
    _refuse_to_overwrite(assignment.source.parent, assignment.graders)
    notebook = new_notebook(metadata=METADATA)
    words = {"assignment": id, "heading": _heading(id)}
    notebook.cells = [
        _cell("assignment/title.md", words),
        _cell("assignment/how_to_hand_in.md", words),
        _cell("notebook/set_up.py", words, **FOLDED),
        _cell("assignment/imports.py", words),
        _cell("notebook/how_i_used_ai.md", words),
        _cell("assignment/closing.md", words),
        _cell("assignment/hand_in.py", words, tags=[SKIP]),
    ]
    return _write(_package(assignment) | {assignment.source: nbformat.writes(notebook) + "\n"})


def begin_exercise(
    assignment: Assignment, id: str, kind: str, name: str | None = None
) -> list[Path]:
    """Add an exercise to an assignment, as a skeleton; return the paths of the files that are new
    or changed.

    `kind`: what students define, one of KINDS; `name`: of that class, function or variable, made
    from the id if None. Raises `CommandError` if the id or name is not allowed or in use.
    """
    name = name or default_name(id, kind)
    refuse_exercise(id, name)
    notebook = nbformat.read(assignment.source, as_version=4)
    folder, checks = assignment.graders, checks_file(assignment)
    grader = folder / f"test_{id}.py"
    listed, variants = folder / "mistakes" / f"{id}.md", folder / "variants" / f"{id}.py"
    _refuse_to_overwrite(grader, listed, variants)
    words = {
        "assignment": assignment.id,
        "exercise": id,
        "heading": _heading(id),
        "name": name,
        "constant": name.upper(),
        "number": str(1 + sum(_of_nbgrader(cell, "solution") for cell in notebook.cells)),
    }
    made = _package(assignment)
    made[grader] = rendered(f"{kind}/test.py", words)
    made[listed] = rendered(f"{kind}/mistakes.md", words)
    made[variants] = rendered(f"{kind}/variant.py", words)
    for path, part in ((folder / "reference.py", "reference.py"), (checks, "steps.py")):
        text = made[path] if path in made else path.read_text(encoding="utf-8")
        made[path] = _with_part(path.name, text, rendered(f"{kind}/{part}", words))
    made[assignment.source] = nbformat.writes(_with_cells(notebook, id, kind, words)) + "\n"
    return _write(made)


def nbgrader_settings() -> str:
    """Return the lines for `nbgrader_config.py` that make nbgrader's own commands use the hidden
    graders.
    """
    return rendered("assignment/nbgrader_config.py", {})


def _refuse_to_overwrite(*paths: Path) -> None:
    """Raise `CommandError` if one of these paths exists."""
    for path in paths:
        if path.exists():
            raise CommandError(f"`{path}` is there already, and nothing is overwritten.")


def _package(assignment: Assignment) -> dict[Path, str]:
    """Return the texts of those files of the graders' package, and of the visible checks, that do
    not exist yet, by path.
    """
    folder = assignment.graders
    words = {
        "assignment": assignment.id,
        "graders": Path(os.path.relpath(folder.parent, assignment.course.root)).as_posix(),
    }
    files = {
        folder.parent / "conftest.py": "conftest.py",
        folder / "__init__.py": "init.py",
        folder / "reference.py": "reference.py",
        checks_file(assignment): "checks.py",
    }
    return {
        path: rendered(f"assignment/{name}", words)
        for path, name in files.items()
        if not path.exists()
    }


def _with_part(file: str, text: str, part: str) -> str:
    """Return the text of a module with `part` (source) appended and the imports from torch that it
    needs added; unchanged if the module defines all names of `part` already.

    `file`: the module's name for the message. Raises `CommandError` if the module has a syntax
    error.
    """
    try:
        tree, added = ast.parse(text), ast.parse(part)
    except SyntaxError as error:
        raise CommandError(f"`{file}` cannot be read: {error}") from error
    there = set(defined(tree))
    if there.issuperset(defined(added)):
        return text
    used = {node.id for node in ast.walk(added) if isinstance(node, ast.Name)} - there
    lines = text.rstrip().splitlines()
    if missing := [name for name in OF_TORCH if name in used]:
        imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        docstring = [""] if ast.get_docstring(tree) and not imports else []
        above = imports[-1].end_lineno if imports else tree.body[0].end_lineno if docstring else 0
        lines[above:above] = [*docstring, f"from torch import {', '.join(missing)}"]
    return "\n".join(lines) + "\n\n\n" + part


def _with_cells(notebook: NotebookNode, id: str, kind: str, words: dict[str, str]) -> NotebookNode:
    """Return the notebook with the three cells of a new exercise inserted after the last check
    cell; if there is none, before the closing cells.

    `kind`: one of KINDS; `words`: what the templates are filled in with. Raises `CommandError` if a
    cell with such a name exists.
    """
    taken = {cell.get("id") for cell in notebook.cells}
    taken |= {_of_nbgrader(cell, "grade_id") for cell in notebook.cells}
    for name in (f"{id}_goal", id, CHECK + id):
        if name in taken:
            raise CommandError(f"The notebook has a cell `{name}` already.")
    notebook = upgrade(notebook)  # cells of old notebooks have no ids
    goal = _cell(f"{kind}/goal.md", words, f"{id}_goal")
    solution = _cell(f"{kind}/solution.py", words, id, nbgrader=_metadata(id, solution=True))
    check = _cell("notebook/check.py", words, CHECK + id)
    check.metadata["nbgrader"] = _metadata(CHECK + id, solution=False) | {"points": 1}
    if kind == "choice":
        check.metadata["tags"] = [FORM_ONLY]
    checks = [
        number
        for number, cell in enumerate(notebook.cells)
        if _of_nbgrader(cell, "grade") and cell.cell_type == "code"
    ]
    ends = [number for number, cell in enumerate(notebook.cells) if cell.id in ENDS]
    place = checks[-1] + 1 if checks else min(ends, default=len(notebook.cells))
    tools = [] if SET_UP in taken else [_cell("notebook/set_up.py", words, **FOLDED)]
    notebook.cells[place:place] = [*tools, goal, solution, check]
    return notebook


def _cell(template: str, words: dict[str, str], id: str = "", **metadata: object) -> NotebookNode:
    """Return a notebook cell with the text of this template, filled in with `words`. Its id is
    `id`, or if that is "", the template's name.
    """
    make = new_markdown_cell if template.endswith(".md") else new_code_cell
    text = rendered(template, words).rstrip("\n")
    return make(text, id=id or Path(template).stem, metadata=metadata)


def _of_nbgrader(cell: NotebookNode, key: str) -> Any:
    """Return the value of `key` in a cell's nbgrader metadata; False if there is none."""
    return cell.metadata.get("nbgrader", {}).get(key, False)


def _metadata(id: str, solution: bool) -> dict[str, object]:
    """Return the nbgrader metadata of a solution cell or, if `solution` is false, of a check cell."""
    check = dict.fromkeys(("grade", "locked"), not solution)
    return {"schema_version": 3, "grade_id": id, "solution": solution, "task": False} | check


def _write(files: dict[Path, str]) -> list[Path]:
    """Write these files (text by path), each whole or not at all; return their paths."""
    for path, text in files.items():
        with replacing(path) as file:
            file.write(text)
    return list(files)


def _heading(id: str) -> str:
    """Return an id as the words of a heading."""
    return id.replace("-", " ").replace("_", " ").strip().capitalize()
