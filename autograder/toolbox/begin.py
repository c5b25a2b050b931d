"""The first call of a notebook: whose checks it wants, and whether the files beside it are its own."""

import importlib
import importlib.util
from pathlib import Path
from types import ModuleType

from autograder.toolbox.exercises import EXERCISES
from autograder.toolbox.progress import FIGURES, MAP
from autograder.toolbox.released import NOTHING, Released, read_released
from autograder.toolbox.telling import panel
from autograder.toolbox.version import VERSION


class Begun:
    """The assignment of this notebook, once `begin` has been called."""

    released: Released = NOTHING


def begin(assignment: str, version: str = "") -> None:
    """Take the checks of this assignment from the file beside the notebook.

    `version` is that of the toolbox that came with the notebook; another one is told. So is a file of
    checks that is missing.
    """
    if version and version != VERSION:
        panel(
            "failing",
            "`toolbox.py` is not the one of this notebook.",
            f"It is version {VERSION or 'unknown'}, and this notebook wants {version}: put the file that "
            "came with the notebook beside it, and restart the kernel.",
        )
    checks = checks_of(assignment)
    if checks is None:
        name = f"{assignment.replace('-', '_')}_checks.py"
        panel(
            "failing", f"`{name}` is missing.", "Put it beside this notebook: the checks are in it."
        )
        return
    Begun.released = read_released(Path(checks.__file__ or ""))
    EXERCISES.clear()
    EXERCISES.update(Begun.released.exercises)
    FIGURES[MAP] = Begun.released.overview


def checks_of(assignment: str) -> ModuleType | None:
    """Import the checks of an assignment; None where there is no such file."""
    name = f"{assignment.replace('-', '_')}_checks"
    return importlib.import_module(name) if importlib.util.find_spec(name) else None
