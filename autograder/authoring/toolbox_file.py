"""Make `toolbox.py`, the file beside each released notebook, and the cell that imports it.

The file joins the modules of `autograder/authoring/toolbox/` and one module of the engine. It is
the same for all assignments. The cell `set_up`, the first code cell, installs and fetches missing
files. Its text differs only in the assignment's name. The release fills in the version and the
files that may be fetched.
"""

import ast
import hashlib
import importlib.util
import json
import linecache
import re
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType

import nbformat
from jinja2 import Environment, PackageLoader, StrictUndefined

from autograder.authoring import toolbox
from autograder.engine import Assignment, courses, placing

FILE = "toolbox.py"
NAME = "toolbox"
WITHOUT_TORCH = "version supported placing exercises saved_notebook released fresh_run answers ended readiness command".split()
# each module imports only those before it, and those above
WITH_TORCH = "comparing filled_in listening laws pictures student telling begin progress steps hand_in play own_lines".split()
HEAD = '''"""The toolbox of a practical's notebook: pictures, checks in steps, the map, handing in.

There is nothing to do here; read on if you are curious. No answer is in it. The notebook imports it, and
`python toolbox.py NOTEBOOK` says whether a saved notebook is fit to be handed in.
"""

from __future__ import annotations  # with an old Python, this file comes as far as saying so
'''
MAIN = """if __name__ == "__main__":  # which needs nothing of what is imported below
    sys.exit(main())
refuse_old_versions()  # before torch and the others are imported
"""
UNKNOWN = 'VERSION = ""'
DIGITS = 8  # length of a version
TOP = Path(toolbox.__file__).parent
SHARED = {"placing": Path(placing.__file__)}  # modules of the engine that the toolbox also has
SET_UP = "set_up"
CALL = re.compile(r"^set_up\(.*\)$", re.MULTILINE)
FETCHED = (".py", ".safetensors")  # files that a notebook may fetch
TEMPLATES = Environment(
    loader=PackageLoader("autograder.authoring"),
    keep_trailing_newline=True,
    undefined=StrictUndefined,
)


def rendered(template: str, words: Mapping[str, object]) -> str:
    """Return a Jinja template of this package, filled in with `words`.

    `template`: its path below `templates/`, without `.jinja`.
    """
    return TEMPLATES.get_template(f"{template}.jinja").render(words)


def toolbox_source() -> str:
    """Return the text of `toolbox.py`, with its version filled in."""
    return _without_version().replace(UNKNOWN, f'VERSION = "{version()}"', 1)


def version() -> str:
    """Return the version of the current toolbox: the first characters of a hash of its text."""
    return hashlib.sha256(_without_version().encode()).hexdigest()[:DIGITS]


@cache
def _without_version() -> str:
    return "\n\n".join([HEAD, joined(WITHOUT_TORCH), MAIN, joined(WITH_TORCH)])


def joined(modules: Sequence[str]) -> str:
    """Return these modules of the toolbox as one text: all imports first, then the definitions."""
    # Names imported from each module. The key "" has the modules imported as a whole.
    imports = defaultdict[str, set[str]](set)
    bodies = []
    for name in modules:
        text = SHARED.get(name, TOP / f"{name}.py").read_text(encoding="utf-8")
        lines, drop = text.splitlines(), set[int]()
        for node in ast.parse(text).body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                module = getattr(node, "module", "")
                imports[module] |= {ast.unparse(alias) for alias in node.names}
            elif node.lineno > 1:  # the docstring at line 1 is dropped as well
                continue
            drop |= set(range(node.lineno - 1, node.end_lineno or 0))
        bodies.append("\n".join(line for i, line in enumerate(lines) if i not in drop).strip())
    module_imports = [f"import {name}" for name in sorted(imports.pop(""))]
    name_imports = [
        f"from {module} import {', '.join(sorted(names))}"
        for module, names in sorted(imports.items())
        if not module.startswith("autograder")
    ]
    return "\n".join([*module_imports, *name_imports]) + "\n\n\n" + "\n\n\n".join(bodies) + "\n"


def toolbox_module() -> ModuleType:
    """Return the toolbox as a module, always the same object, and let `import toolbox` find it."""
    sys.modules[NAME] = module = _made_once()
    return module


@cache
def _made_once() -> ModuleType:
    return import_text(NAME, toolbox_source(), FILE)


def import_text(name: str, text: str, file: str) -> ModuleType:
    """Run a text as a module and return the module, which `import` then finds under this name.

    `file`: the name under which tracebacks show its lines. Raises all exceptions of the text.
    """
    spec = importlib.util.spec_from_loader(name, loader=None)
    assert spec
    module = importlib.util.module_from_spec(spec)
    module.__file__ = file
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    sys.modules[name] = module
    exec(compile(text, file, "exec"), vars(module))
    return module


def set_up_source(assignment: str) -> str:
    """Return the text that the cell `set_up` should have in this assignment's source."""
    return rendered("notebook/set_up.py", {"assignment": assignment}).rstrip()


def set_up_is_stale(assignment: Assignment) -> bool:
    """Whether the cell `set_up` in the assignment's source has an outdated text.

    False without such a cell.
    """
    current = set_up_source(assignment.id)
    return any(
        cell.id == SET_UP and cell.source != current
        for cell in courses.read_cells(assignment.source)
    )


def write_set_up(assignment: Assignment) -> None:
    """Write the current text into the cell `set_up` of the assignment's source."""
    notebook = nbformat.read(assignment.source, as_version=4)
    for cell in notebook.cells:
        if cell.id == SET_UP:
            cell.source = set_up_source(assignment.id)
    nbformat.write(notebook, assignment.source)


def call_of_set_up(id: str, files: Mapping[str, bytes], address: str = "") -> str:
    """Return the last line of a released cell `set_up`.

    It is a call with the assignment's id, the toolbox's version, the address, and the SHA-256 of
    each file that may be fetched. `files`: contents by name. `address`: the URL from which
    notebooks can fetch them, or "".
    """
    fetched = {
        name: hashlib.sha256(content).hexdigest()
        for name, content in files.items()
        if name.endswith(FETCHED)
    }
    arguments = ", ".join(json.dumps(argument) for argument in (id, version(), address, fetched))
    return f"set_up({arguments})"
