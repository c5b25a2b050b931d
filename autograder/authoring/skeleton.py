"""Begin an assignment, or an exercise of one: files that are graded as they are, with what is still
missing marked as TODO(author) in them.

An assignment begins with its notebook in `source/` and its package of graders; an exercise with three
cells, a grader, a file of mistakes, a variant, and its part of the reference. Nothing that is there
is changed, but that the notebook gets cells, and `reference.py` a part at its end.
"""

import ast
import os
from pathlib import Path

import nbformat
from jinja2 import Environment, PackageLoader, StrictUndefined
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, upgrade

from autograder.authoring import exercise_table, toolbox_cell
from autograder.authoring.new_names import (
    SkeletonError,
    default_name,
    defined,
    refuse_assignment_name,
    refuse_exercise,
)
from autograder.engine.assignment import CHECK, FOR_CHECKS, SKIP, Assignment
from autograder.engine.course import Course
from autograder.files import replacing
from autograder.gradebook.one_file import TABLE

# what a student defines: a class, a function, a variable, a dict of answers to given statements
KINDS = ("module", "function", "value", "choice")
ENDS = ("closing", "hand_in")  # cells behind the last exercise
IMPORTS = {  # what the part of the reference needs of torch, by kind
    "module": ("Tensor", "nn"),
    "function": ("Tensor",),
    "value": (),
    "choice": (),
}
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
        new_code_cell(_cell_text("assignment/imports.py", words), id="imports"),
        *_toolbox_cells(),
        new_markdown_cell(_cell_text("assignment/closing.md", words), id="closing"),
        new_code_cell(
            _cell_text("assignment/hand_in.py", words), id="hand_in", metadata={"tags": [SKIP]}
        ),
    ]
    made = _package(assignment) | {assignment.source: _notebook_text(notebook)}
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
    changed = {
        folder / "reference.py": _with_part(_reference(assignment, made), kind, words),
        assignment.source: _notebook_text(_with_cells(notebook, id, kind, words)),
    }
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


def _reference(assignment: Assignment, made: dict[Path, str]) -> str:
    path = assignment.graders / "reference.py"
    return made[path] if path in made else path.read_text(encoding="utf-8")


def _with_part(text: str, kind: str, words: dict[str, str]) -> str:
    """The reference with a part at its end, if it has none of this name, and what the part imports."""
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise SkeletonError(f"`reference.py` cannot be read: {error}") from error
    part = _text(f"{kind}/reference.py", words)
    if set(defined(ast.parse(part))) <= set(defined(tree)):
        return text
    missing = [name for name in IMPORTS[kind] if name not in defined(tree)]
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
    check = new_code_cell(_cell_text(f"{kind}/check.py", words), id=CHECK + id)
    check.metadata["nbgrader"] = _metadata(CHECK + id, solution=False) | {"points": 1}
    goal = new_markdown_cell(_cell_text(f"{kind}/goal.md", words), id=f"{id}_goal")
    checks = [
        number
        for number, cell in enumerate(notebook.cells)
        if cell.metadata.get("nbgrader", {}).get("grade") and cell.cell_type == "code"
    ]
    ends = [number for number, cell in enumerate(notebook.cells) if cell.id in ENDS]
    place = checks[-1] + 1 if checks else min(ends, default=len(notebook.cells))
    tools = [] if toolbox_cell.CELL in taken else _toolbox_cells()
    notebook.cells[place:place] = [*tools, goal, solution, check]
    for cell in notebook.cells:
        if cell.id == exercise_table.CELL:
            cell.source += "\n" + _entry(kind, words)
    return notebook


def _toolbox_cells() -> list[NotebookNode]:
    """What checks and pictures need, and what there is of exercises: folded."""
    texts = {
        toolbox_cell.CELL: toolbox_cell.toolbox_source().rstrip(),
        exercise_table.CELL: _cell_text("assignment/exercises.py", {}),
        TABLE: _cell_text("assignment/as_released.py", {}),
    }
    intro = new_markdown_cell(_cell_text("assignment/toolbox_intro.md", {}), id="toolbox_intro")
    folded = {"jupyter": {"source_hidden": True}, "tags": [FOR_CHECKS]}
    return [
        intro,
        *(new_code_cell(text, id=id, metadata=folded) for id, text in texts.items()),
    ]


def _entry(kind: str, words: dict[str, str]) -> str:
    """The line about an exercise in the cell that lists them."""
    said = f'"{words["number"]}", "{words["heading"]}", 1, 10, ("{words["name"]}",)'
    if kind == "choice":
        said += ", form_only=True"
    return f'EXERCISES["{words["exercise"]}"] = Exercise({said})'


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
