"""The first call in a notebook: load its visible checks, and compare versions of the toolbox."""

import importlib
import importlib.util
from pathlib import Path
from types import ModuleType

from IPython import get_ipython
from IPython.core.interactiveshell import ExecutionResult

from autograder.authoring.toolbox.exercises import EXERCISES, STOPPED, defines
from autograder.authoring.toolbox.released import NOTHING, Released, checks_module, read_released
from autograder.authoring.toolbox.telling import panel
from autograder.authoring.toolbox.version import VERSION


class Begun:
    """The data that `begin` has found about this notebook's assignment."""

    released: Released = NOTHING
    missing = ""  # name of the file of checks if it is not beside the notebook


def begin(assignment: str, version: str = "") -> None:
    """Load the visible checks of this assignment from the file beside the notebook.

    From then on, `toolbox.check` can run them. `version`: of the toolbox that the notebook was
    released with. A message is shown if this toolbox has another version, or if the file of checks
    is missing.
    """
    if version and version != VERSION:
        panel(
            "failing",
            "`toolbox.py` is not the one of this notebook.",
            f"It is version {VERSION or 'unknown'}, and this notebook wants {version}: put the file that "
            "came with the notebook beside it, and restart the kernel.",
        )
    checks = checks_of(assignment)
    Begun.missing = f"{checks_module(assignment)}.py" if checks is None else ""
    if checks is None:
        ask_for_set_up()
        if shell := get_ipython():  # the file of checks would have defined `%%ipytest`
            shell.register_magic_function(lambda *_: ask_for_set_up(), "cell", "ipytest")
        return
    Begun.released = read_released(Path(checks.__file__ or ""))
    EXERCISES.clear()
    EXERCISES.update(Begun.released.exercises)
    if shell := get_ipython():
        shell.events.register("post_run_cell", note_how_it_ended)
    print(f"Ready: checks and pictures of {assignment}.")


def ask_for_set_up() -> None:
    """Ask for the missing file, or for a run of the cell `set_up`."""
    if name := Begun.missing:
        todo = "Put it beside this notebook, as you got it, and restart the kernel: the checks are in it."
        panel("failing", f"`{name}` is missing.", todo)
        return
    todo = "Run the first cell of code, `set_up`, and then this one once more."
    panel("failing", "Nothing is known of this notebook yet.", todo)


def note_how_it_ended(result: ExecutionResult) -> None:
    """Record in STOPPED the exception of an exercise's cell, or remove the earlier record.

    IPython calls this after each cell. After an exception, the cell's names may date from an
    earlier run.
    """
    error = result.error_before_exec or result.error_in_exec
    for id, exercise in EXERCISES.items():
        if result.info and defines(result.info.raw_cell, exercise):
            STOPPED.pop(id, None)
            if error is not None:
                STOPPED[id] = error


def checks_of(assignment: str) -> ModuleType | None:
    """Import the file of visible checks of this assignment. Return the module, or None.

    Raises all exceptions of the file's code.
    """
    name = checks_module(assignment)
    return importlib.import_module(name) if importlib.util.find_spec(name) else None
