"""The toolbox as one file: what it says, and what it needs."""

import ast
import subprocess
import sys
from collections import Counter

from autograder.authoring.toolbox_file import (
    MAIN,
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
        assert len(names) == len(set(names)) and not any(
            "autograder" in ast.unparse(node) for node in imports
        )


def test_no_module_takes_a_name_of_another():
    made = Counter(
        name.id
        for node in TREE.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        for name in ast.walk(target)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
    )
    made.update(node.name for node in TREE.body if isinstance(node, ast.FunctionDef | ast.ClassDef))
    assert len(made) > 40 and [name for name, count in made.items() if count > 1] == []


def test_its_version_is_that_of_its_text():
    lines = [line for line in toolbox_source().splitlines() if line.startswith("VERSION = ")]
    assert lines[0].partition("  #")[0] == f'VERSION = "{version()}"' and len(lines) == 1
    assert version() == toolbox_module().VERSION and len(version()) == 8


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
    assert toolbox_module().SKIPPED == SKIP
