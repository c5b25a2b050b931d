"""Begin an assignment, or an exercise of one: files that are graded as they are, with what is still
missing marked as TODO(author) in them.

An assignment begins with its notebook and its visible checks in `source/`, and its package of graders;
an exercise with three cells, the steps of its check, a grader, a file of mistakes, a variant, and its
part of the reference. Nothing that is there is changed, but that the notebook gets cells, and the visible
checks and `reference.py` a part at their end.
"""

import ast
import os
from pathlib import Path

import nbformat
from jinja2 import Environment, PackageLoader, StrictUndefined
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, upgrade

from autograder.authoring.exercise_table import FORM_ONLY
from autograder.authoring.new_names import (
    SkeletonError,
    default_name,
    defined,
    refuse_assignment_name,
    refuse_exercise,
)
from autograder.authoring.set_up_cell import CELL as SET_UP
from autograder.authoring.set_up_cell import set_up_source
from autograder.authoring.visible_checks import checks_file
from autograder.engine.course.assignment import CHECK, SKIP, Assignment
from autograder.engine.course.course import Course
from autograder.files.writing import replacing

# what a student defines: a class, a function, a variable, a dict of answers to given statements
KINDS = ("module", "function", "value", "choice")
ENDS = ("how_i_used_ai", "closing", "hand_in")  # cells behind the last exercise
IMPORTS = {  # what the part of the reference needs of torch, by kind
    "module": ("Tensor", "nn"),
    "function": ("Tensor",),
    "value": (),
    "choice": (),
}
IMPORTS_OF_STEPS = {"module": ("tensor",), "function": ("tensor",), "value": (), "choice": ()}
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
TEMPLATES = Environment(
    loader=PackageLoader("autograder.authoring"),
    keep_trailing_newline=True,
    undefined=StrictUndefined,
)


def begin_assignment(id: str, course: Course) -> list[Path]:
    """Write the notebook and the package of graders; return the files. Raises `SkeletonError`."""
    refuse_assignment_name(id)
    assignment = Assignment(id, course)
    for path in (assignment.source.parent, assignment.graders):
        if path.exists():
            raise SkeletonError(f"`{path}` is there already, and nothing is overwritten.")
    notebook = new_notebook(metadata=METADATA)
    words = {"assignment": id, "heading": _heading(id)}
    notebook.cells = [
        new_markdown_cell(_cell_text("assignment/title.md", words), id="title"),
        new_markdown_cell(_cell_text("assignment/how_to_hand_in.md", words), id="how_to_hand_in"),
        _set_up_cell(id),
        new_code_cell(_cell_text("assignment/imports.py", words), id="imports"),
        new_markdown_cell(_cell_text("notebook/how_i_used_ai.md", words), id="how_i_used_ai"),
        new_markdown_cell(_cell_text("assignment/closing.md", words), id="closing"),
        new_code_cell(
            _cell_text("assignment/hand_in.py", words), id="hand_in", metadata={"tags": [SKIP]}
        ),
    ]
    made = _package(assignment) | {assignment.source: _notebook_text(notebook)}
    made[checks_file(assignment)] = _text("assignment/checks.py", words)
    return _write(made)


def begin_exercise(
    assignment: Assignment, id: str, kind: str, name: str | None = None
) -> list[Path]:
    """Write an exercise of one of the `KINDS`; return the files, new or longer.

    `name` is that of the class, function or variable; by default it is made from the id. Raises
    `SkeletonError`.
    """
    name = name or default_name(id, kind)
    refuse_exercise(id, name)
    notebook = nbformat.read(assignment.source, as_version=4)
    folder = assignment.graders
    grader = folder / f"test_{id}.py"
    listed, variants = folder / "mistakes" / f"{id}.md", folder / "variants" / f"{id}.py"
    for path in (grader, listed, variants):
        if path.exists():
            raise SkeletonError(f"`{path}` is there already, and nothing is overwritten.")
    words = {
        "assignment": assignment.id,
        "exercise": id,
        "heading": _heading(id),
        "name": name,
        "constant": name.upper(),
        "number": str(1 + sum(_is_answer(cell) for cell in notebook.cells)),
    }
    made = _package(assignment)
    made[grader] = _text(f"{kind}/test.py", words)
    made[listed] = _text(f"{kind}/mistakes.md", words)
    made[variants] = _text(f"{kind}/variant.py", words)
    reference, checks = folder / "reference.py", checks_file(assignment)
    if not checks.exists():
        made[checks] = _text("assignment/checks.py", words)
    parts = {
        reference: (_text(f"{kind}/reference.py", words), IMPORTS[kind]),
        checks: (_text(f"{kind}/steps.py", words), IMPORTS_OF_STEPS[kind]),
    }
    changed = {path: _with_part(path, made, *part) for path, part in parts.items()}
    changed[assignment.source] = _notebook_text(_with_cells(notebook, id, kind, words))
    for path in changed:
        made.pop(path, None)
    return _write(made) + _replace(changed)


def nbgrader_settings() -> str:
    """What nbgrader's own commands need in a course's configuration, to grade with these graders."""
    return _text("assignment/nbgrader_config.py", {})


def _package(assignment: Assignment) -> dict[Path, str]:
    """The files of a package of graders that are not there yet, and what is in them."""
    folder = assignment.graders
    words = {
        "assignment": assignment.id,
        "graders": Path(os.path.relpath(folder.parent, assignment.course.root)).as_posix(),
    }
    files = {
        folder.parent / "conftest.py": "conftest.py",
        folder / "__init__.py": "init.py",
        folder / "reference.py": "reference.py",
    }
    return {
        path: _text(f"assignment/{name}", words)
        for path, name in files.items()
        if not path.exists()
    }


def _with_part(path: Path, made: dict[Path, str], part: str, names: tuple[str, ...]) -> str:
    """A module with a part at its end, if it has none of this name, and what that takes of torch."""
    text = made[path] if path in made else path.read_text(encoding="utf-8")
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise SkeletonError(f"`{path.name}` cannot be read: {error}") from error
    if set(defined(ast.parse(part))) <= set(defined(tree)):
        return text
    missing = [name for name in names if name not in defined(tree)]
    lines = text.rstrip().splitlines()
    if missing:
        imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        docstring = [""] if ast.get_docstring(tree) and not imports else []
        above = imports[-1].end_lineno if imports else tree.body[0].end_lineno if docstring else 0
        lines[above:above] = [*docstring, f"from torch import {', '.join(missing)}"]
    return "\n".join(lines) + "\n\n\n" + part


def _with_cells(notebook: NotebookNode, id: str, kind: str, words: dict[str, str]) -> NotebookNode:
    """The notebook with the exercise's cells behind its last check cell, else at its end."""
    taken = {cell.get("id") for cell in notebook.cells}
    taken |= {cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells}
    for name in (f"{id}_goal", id, CHECK + id):
        if name in taken:
            raise SkeletonError(f"The notebook has a cell `{name}` already.")
    notebook = upgrade(notebook)  # cells of old notebooks have no ids
    solution = new_code_cell(_cell_text(f"{kind}/solution.py", words), id=id)
    solution.metadata["nbgrader"] = _metadata(id, solution=True)
    check = new_code_cell(_cell_text("notebook/check.py", words), id=CHECK + id)
    check.metadata["nbgrader"] = _metadata(CHECK + id, solution=False) | {"points": 1}
    if kind == "choice":
        check.metadata["tags"] = [FORM_ONLY]
    goal = new_markdown_cell(_cell_text(f"{kind}/goal.md", words), id=f"{id}_goal")
    checks = [
        number
        for number, cell in enumerate(notebook.cells)
        if cell.metadata.get("nbgrader", {}).get("grade") and cell.cell_type == "code"
    ]
    ends = [number for number, cell in enumerate(notebook.cells) if cell.id in ENDS]
    place = checks[-1] + 1 if checks else min(ends, default=len(notebook.cells))
    tools = [] if SET_UP in taken else [_set_up_cell(words["assignment"])]
    notebook.cells[place:place] = [*tools, goal, solution, check]
    return notebook


def _set_up_cell(assignment: str) -> NotebookNode:
    """The cell that imports the toolbox and the checks, folded in Colab."""
    metadata = {"cellView": "form", "tags": [SKIP]}
    return new_code_cell(set_up_source(assignment), id=SET_UP, metadata=metadata)


def _is_answer(cell: NotebookNode) -> bool:
    return bool(cell.metadata.get("nbgrader", {}).get("solution"))


def _metadata(id: str, solution: bool) -> dict[str, object]:
    """What nbgrader needs to know of a solution cell, or of the check cell of one."""
    return {
        "schema_version": 3,
        "grade_id": id,
        "grade": not solution,
        "locked": not solution,
        "solution": solution,
        "task": False,
    }


def _text(template: str, words: dict[str, str]) -> str:
    return TEMPLATES.get_template(f"{template}.jinja").render(words)


def _cell_text(template: str, words: dict[str, str]) -> str:
    return _text(template, words).rstrip("\n")


def _notebook_text(notebook: NotebookNode) -> str:
    return nbformat.writes(notebook) + "\n"


def _write(files: dict[Path, str]) -> list[Path]:
    """Write files that are not there yet; return them."""
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    return list(files)


def _replace(files: dict[Path, str]) -> list[Path]:
    for path, text in files.items():
        with replacing(path) as file:
            file.write(text)
    return list(files)


def _heading(id: str) -> str:
    return id.replace("-", " ").replace("_", " ").strip().capitalize()
