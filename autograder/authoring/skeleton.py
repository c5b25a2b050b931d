"""Begin an assignment or an exercise with skeleton files, which can be graded at once.

TODO(author) marks the gaps for the author. An assignment gets a notebook, visible checks and a
package of graders. An exercise gets three cells, steps of its visible check, a grader, a file of
mistakes, a variant, and a part of the reference. Existing files are not changed, except that the
notebook gets cells, and the visible checks and `reference.py` a part at their end.
"""

import ast
import os
from pathlib import Path

import nbformat
from nbformat.v4 import new_notebook

from autograder.authoring.new_names import (
    default_name,
    defined,
    refuse_assignment_name,
    refuse_exercise,
)
from autograder.authoring.skeleton_cells import FOLDED, of_nbgrader, template_cell, with_exercise
from autograder.authoring.toolbox_file import rendered
from autograder.authoring.visible_checks import checks_file
from autograder.engine import Assignment, AutograderError, Course, courses, files

# what a student defines: a class, a function, a variable, a dict of answers to given statements
KINDS = ("module", "function", "value", "choice")
OF_TORCH = "Tensor", "nn", "tensor"  # names that parts of the reference and of the checks use
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def begin_assignment(id: str, course: Course) -> list[Path]:
    """Write the notebook, the visible checks and the package of graders of a new assignment.

    Return the paths of the files. Raises `AutograderError` if the id is not allowed, or if a file
    exists.
    """
    refuse_assignment_name(id)
    assignment = Assignment(id, course)
    _refuse_to_overwrite(assignment.source.parent, assignment.graders)
    notebook = new_notebook(metadata=METADATA)
    words = {"assignment": id, "heading": _heading(id)}
    notebook.cells = [
        template_cell("assignment/title.md", words),
        template_cell("assignment/how_to_hand_in.md", words),
        template_cell("notebook/set_up.py", words, **FOLDED),
        template_cell("assignment/imports.py", words),
        template_cell("notebook/how_i_used_ai.md", words),
        template_cell("assignment/closing.md", words),
        template_cell("assignment/hand_in.py", words, tags=[courses.SKIP]),
    ]
    return _write(_package(assignment) | {assignment.source: nbformat.writes(notebook) + "\n"})


def begin_exercise(
    assignment: Assignment, id: str, kind: str, name: str | None = None
) -> list[Path]:
    """Add an exercise to an assignment, as a skeleton. Return the paths of new or changed files.

    `kind`: the thing that students define, from KINDS. `name`: its name, by default made from the
    id. Raises `AutograderError` if the id or name is not allowed or in use.
    """
    name = name or default_name(id, kind)
    refuse_exercise(id, name)
    notebook = nbformat.read(assignment.source, as_version=4)
    folder, checks = assignment.graders, checks_file(assignment)
    grader = folder / f"test_{id}.py"
    mistakes, variants = folder / "mistakes" / f"{id}.md", folder / "variants" / f"{id}.py"
    _refuse_to_overwrite(grader, mistakes, variants)
    words = {
        "assignment": assignment.id,
        "exercise": id,
        "heading": _heading(id),
        "name": name,
        "constant": name.upper(),
        "number": str(1 + sum(of_nbgrader(cell, "solution") for cell in notebook.cells)),
    }
    texts = _package(assignment)
    texts[grader] = rendered(f"{kind}/test.py", words)
    texts[mistakes] = rendered(f"{kind}/mistakes.md", words)
    texts[variants] = rendered(f"{kind}/variant.py", words)
    for path, part in ((folder / "reference.py", "reference.py"), (checks, "steps.py")):
        text = texts[path] if path in texts else path.read_text(encoding="utf-8")
        texts[path] = _with_part(path.name, text, rendered(f"{kind}/{part}", words))
    texts[assignment.source] = nbformat.writes(with_exercise(notebook, id, kind, words)) + "\n"
    return _write(texts)


def nbgrader_settings() -> str:
    """Return the lines of `nbgrader_config.py` that make nbgrader's commands use hidden graders."""
    return rendered("assignment/nbgrader_config.py", {})


def _refuse_to_overwrite(*paths: Path) -> None:
    for path in paths:
        if path.exists():
            raise AutograderError(f"`{path}` is there already, and nothing is overwritten.")


def _package(assignment: Assignment) -> dict[Path, str]:
    """Return the texts of missing files of the graders' package and visible checks, by path."""
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
    """Return the text of a module with `part` appended, and its imports from torch added.

    The text is unchanged if the module defines all names of `part` already.
    """
    try:
        tree, added = ast.parse(text), ast.parse(part)
    except SyntaxError as error:
        raise AutograderError(f"`{file}` cannot be read: {error}") from error
    existing_names = set(defined(tree))
    if existing_names.issuperset(defined(added)):
        return text
    used = {node.id for node in ast.walk(added) if isinstance(node, ast.Name)} - existing_names
    lines = text.rstrip().splitlines()
    if missing := [name for name in OF_TORCH if name in used]:
        imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        docstring = [""] if ast.get_docstring(tree) and not imports else []
        position = (
            imports[-1].end_lineno if imports else tree.body[0].end_lineno if docstring else 0
        )
        lines[position:position] = [*docstring, f"from torch import {', '.join(missing)}"]
    return "\n".join(lines) + "\n\n\n" + part


def _write(contents: dict[Path, str]) -> list[Path]:
    """Write these files (text by path), each whole or not at all, and return their paths."""
    for path, text in contents.items():
        with files.replacing(path) as file:
            file.write(text)
    return list(contents)


def _heading(id: str) -> str:
    """Return an id as the words of a heading."""
    return id.replace("-", " ").replace("_", " ").strip().capitalize()
