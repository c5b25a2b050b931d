"""Import the package of an assignment's graders from its folder."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from autograder.engine.courses.cells import GraderError


def import_package(folder: Path) -> ModuleType:
    """Import the package of an assignment's graders from its folder, once.

    Raise `GraderError` if it cannot be imported, or if its name is that of another Python module.
    """
    name, file = folder.name, folder / "__init__.py"
    loaded = sys.modules.get(name)
    if loaded and getattr(loaded, "__file__", None) == str(file):
        return loaded
    if loaded and not hasattr(loaded, "GRADERS_OF"):
        raise GraderError(f"`{name}` is the name of a Python module; name the assignment otherwise")
    for stale in [key for key in sys.modules if key == name or key.startswith(f"{name}.")]:
        del sys.modules[stale]  # of another course, in one process with this one
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    module.GRADERS_OF = folder  # type: ignore[attr-defined]
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # its code may raise anything
        del sys.modules[name]
        raise GraderError(f"`{file}` cannot be imported: {error!r}") from error
    return module
