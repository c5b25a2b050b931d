"""The toolbox as one cell: what it says, and that it is what the notebooks carry."""

import ast
import symtable
from collections import Counter

import nbformat

from autograder.authoring.toolbox_cell import CELL, FOR_CHECKING, MODULES, TOP, toolbox_source
from autograder.engine.assignment import SKIP
from autograder.toolbox.saved_notebook import SKIPPED

TREE = ast.parse(toolbox_source())


def test_every_import_stands_once_and_at_the_top():
    kinds = [isinstance(node, ast.Import | ast.ImportFrom) for node in TREE.body]
    assert kinds == sorted(kinds, reverse=True)
    imports = [node for node in TREE.body if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = [node.module for node in imports if isinstance(node, ast.ImportFrom)]
    names = [alias.asname or alias.name for node in imports for alias in node.names]
    assert len(modules) == len(set(modules)) and len(names) == len(set(names))
    assert not [module for module in modules if module.startswith("autograder")]


def test_no_module_takes_a_name_of_another():
    modules = TOP.glob("*.py")
    made = Counter(name for file in modules for name in defined(file.read_text(encoding="utf-8")))
    assert len(made) > 40 and [name for name, count in made.items() if count > 1] == []


def test_comments_and_docstrings_come_along():
    assert "# can be read on white and on black" in toolbox_source()
    assert all(
        ast.get_docstring(node)
        for node in TREE.body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    )


def test_every_module_is_in_the_cell():
    files = {path.stem for path in TOP.glob("*.py")} - {"__init__"}
    assert set(MODULES) == files and len(MODULES) == len(files)


def test_what_goes_into_the_check_by_itself_needs_nothing_but_python():
    names: dict = {"__name__": "check"}
    exec(compile(toolbox_source(FOR_CHECKING), "check", "exec"), names)
    assert "torch" not in toolbox_source(FOR_CHECKING).split("\n\n\n")[0]
    assert callable(names["report_on"]) and callable(names["run_fresh"])


def test_students_and_staff_leave_out_cells_with_one_tag():
    assert SKIPPED == SKIP


def test_the_notebook_carries_the_toolbox_of_today(course):
    for source in course.source.glob("*/*.ipynb"):
        cells = nbformat.read(source, as_version=4).cells
        carried = [cell.source for cell in cells if cell.id == CELL]
        assert carried in ([], [toolbox_source().rstrip()]), f"write_toolbox({source.stem})"


def test_no_cell_takes_a_name_of_the_toolbox(course):
    taken = set(defined(toolbox_source())) - {"EXERCISES", "AS_RELEASED"}  # which notebooks fill
    for source in course.source.glob("*/*.ipynb"):
        for cell in nbformat.read(source, as_version=4).cells:
            if cell.cell_type == "code" and cell.id != CELL:
                assert not taken & set(defined(cell.source)), f"{source.stem}: {cell.id}"


def defined(code: str) -> list[str]:
    """The names that code makes at its top level, imports aside; lines of magics are left out."""
    lines = ["" if line.lstrip().startswith(("%", "!")) else line for line in code.splitlines()]
    try:
        table = symtable.symtable("\n".join(lines), "cell", "exec")
    except IndentationError:  # nothing but a magic in a block
        return []
    passing = bound_by_comprehensions(ast.parse("\n".join(lines)))
    return [
        name.get_name()
        for name in table.get_symbols()
        if name.is_assigned() and not name.is_imported() and name.get_name() not in passing
    ]


def bound_by_comprehensions(tree: ast.AST) -> set[str]:
    """Names that nothing else binds: Python counts them to the top level since 3.12."""
    loops = [node.target for node in ast.walk(tree) if isinstance(node, ast.comprehension)]
    inside = [name for target in loops for name in ast.walk(target) if isinstance(name, ast.Name)]
    elsewhere = {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node not in inside
    }
    return {name.id for name in inside} - elsewhere
