"""Import the package of an assignment's graders from its folder."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from autograder.engine.courses.cells import GraderError


def import_package(folder: Path) -> ModuleType:
    """Import the package of an assignment's graders from its folder; return it, or the module that
    is already imported from there.

    Raise `GraderError` if it cannot be imported, or if its name is that of another Python module.
    """
    name, file = folder.name, folder / "__init__.py"
    known = sys.modules.get(name)
    if known and getattr(known, "__file__", None) == str(file):
        return known
    if known and not hasattr(known, "GRADERS_OF"):
        raise GraderError(f"`{name}` is the name of a Python module; name the assignment otherwise")
    for stale in [one for one in sys.modules if one == name or one.startswith(f"{name}.")]:
        del sys.modules[stale]  # of another course, in one process with this one
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    module.GRADERS_OF = folder  # type: ignore[attr-defined]
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever its code raises
        del sys.modules[name]
        raise GraderError(f"`{file}` cannot be imported: {error!r}") from error
    return module
