"""The toolbox as one file: what it says, and what it needs."""

import ast
import subprocess
import symtable
import sys
from collections import Counter

from autograder.authoring.toolbox.saved_notebook import SKIPPED
from autograder.authoring.toolbox_file import (
    MAIN,
    SHARED,
    TOP,
    WITH_TORCH,
    WITHOUT_TORCH,
    joined,
    toolbox_module,
    toolbox_source,
    version,
)
from autograder.engine.courses import SKIP

TREE = ast.parse(toolbox_source())


def test_each_half_imports_at_its_top_and_each_thing_once():
    for modules in (WITHOUT_TORCH, WITH_TORCH):
        body = ast.parse(joined(modules)).body
        kinds = [isinstance(node, ast.Import | ast.ImportFrom) for node in body]
        assert kinds == sorted(kinds, reverse=True)
        imports = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
        names = [alias.asname or alias.name for node in imports for alias in node.names]
        assert len(names) == len(set(names))
    assert "autograder" not in {
        getattr(node, "module", "") for node in TREE.body if isinstance(node, ast.ImportFrom)
    }


def test_no_module_takes_a_name_of_another():
    modules = [*TOP.glob("*.py"), *SHARED.values()]
    made = Counter(name for file in modules for name in defined(file.read_text(encoding="utf-8")))
    assert len(made) > 40 and [name for name, count in made.items() if count > 1] == []


def test_comments_and_docstrings_come_along():
    assert "# can be read on white and on black" in toolbox_source()
    assert all(
        ast.get_docstring(node)
        for node in TREE.body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    )


def test_every_module_is_in_the_file():
    files = {path.stem for path in (*TOP.glob("*.py"), *SHARED.values())} - {"__init__"}
    modules = [*WITHOUT_TORCH, *WITH_TORCH]
    assert set(modules) == files and len(modules) == len(files)


def test_its_version_is_that_of_its_text(monkeypatch):
    lines = [line for line in toolbox_source().splitlines() if line.startswith("VERSION = ")]
    assert lines[0].partition("  #")[0] == f'VERSION = "{version()}"' and len(lines) == 1
    assert version() == toolbox_module().VERSION and len(version()) == 8


def test_whoever_asks_for_the_module_has_the_one_that_is_imported(monkeypatch):
    made = toolbox_module()
    monkeypatch.setitem(sys.modules, "toolbox", None)
    assert toolbox_module() is made and sys.modules["toolbox"] is made


def test_as_a_program_it_needs_nothing_but_python(tmp_path):
    file = tmp_path / "toolbox.py"
    file.write_text(toolbox_source(), encoding="utf-8")
    first, _, second = toolbox_source().partition(MAIN)
    assert "import torch" not in first and "import torch" in second
    ran = subprocess.run(
        [sys.executable, "-I", "-S", file, tmp_path / "none.ipynb"], capture_output=True, text=True
    )
    assert ran.returncode == 2 and "cannot be opened" in ran.stderr


def test_students_and_staff_leave_out_cells_with_one_tag():
    assert SKIPPED == SKIP


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
