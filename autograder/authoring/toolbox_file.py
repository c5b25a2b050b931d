"""The one file `toolbox.py` that stands beside each released notebook: the modules of
`autograder/toolbox/`, one after the other. It is the same for all assignments.
"""

import ast
import hashlib
import importlib.util
import linecache
import sys
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import ModuleType

from autograder import toolbox

FILE = "toolbox.py"
NAME = "toolbox"
WITHOUT_TORCH = (
    "version exercises saved_notebook released fresh_run answers ended readiness command".split()
)
# each needs only those before it, and those above
WITH_TORCH = "comparing filled_in listening laws pictures student telling begin progress steps hand_in play own_lines".split()
HEAD = '''"""The toolbox of a practical's notebook: pictures, checks in steps, the map, handing in.

There is nothing to do here; read on if you are curious. No answer is in it. The notebook imports it, and
`python toolbox.py NOTEBOOK` says whether a saved notebook is fit to be handed in.
"""
'''
MAIN = """if __name__ == "__main__":  # which needs nothing of what is imported below
    sys.exit(main())
"""
UNKNOWN = 'VERSION = ""'
DIGITS = 8  # of a version
TOP = Path(toolbox.__file__).parent


def toolbox_source() -> str:
    """Return the text of the file."""
    return _without_version().replace(UNKNOWN, f'VERSION = "{version()}"', 1)


def version() -> str:
    """Return the version of the toolbox that is made now: how the hash of its text begins."""
    return hashlib.sha256(_without_version().encode()).hexdigest()[:DIGITS]


@cache
def _without_version() -> str:
    return "\n\n".join([HEAD, joined(WITHOUT_TORCH), MAIN, joined(WITH_TORCH)])


def joined(modules: Sequence[str]) -> str:
    """Return the text of these modules as one: all imports once, then what the modules define."""
    imports = defaultdict[str, set[str]](set)  # by module, what is taken from it; "" is itself
    bodies = []
    for name in modules:
        text = (TOP / f"{name}.py").read_text(encoding="utf-8")
        lines, drop = text.splitlines(), set[int]()
        for node in ast.parse(text).body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                module = getattr(node, "module", "")
                imports[module] |= {ast.unparse(alias) for alias in node.names}
            elif node.lineno > 1:  # the docstring stays behind, too
                continue
            drop |= set(range(node.lineno - 1, node.end_lineno or 0))
        bodies.append("\n".join(line for i, line in enumerate(lines) if i not in drop).strip())
    whole = [f"import {name}" for name in sorted(imports.pop(""))]
    parts = [
        f"from {module} import {', '.join(sorted(names))}"
        for module, names in sorted(imports.items())
        if not module.startswith("autograder")
    ]
    return "\n".join([*whole, *parts]) + "\n\n\n" + "\n\n\n".join(bodies) + "\n"


def toolbox_module() -> ModuleType:
    """Return the file's text as a module, which `import toolbox` finds from now on: always the same one."""
    sys.modules[NAME] = module = _made_once()
    return module


@cache
def _made_once() -> ModuleType:
    return import_text(NAME, toolbox_source(), FILE)


def import_text(name: str, text: str, file: str) -> ModuleType:
    """Import a text under this name, in whose lines tracebacks can be shown."""
    spec = importlib.util.spec_from_loader(name, loader=None)
    assert spec
    module = importlib.util.module_from_spec(spec)
    module.__file__ = file
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    sys.modules[name] = module
    exec(compile(text, file, "exec"), vars(module))
    return module
