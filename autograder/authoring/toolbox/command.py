"""The command `python toolbox.py NOTEBOOK`: report whether a saved notebook is ready to submit.

Nothing is hidden here. The command looks at the cells, and runs the notebook with its own visible
checks in a new process. Use it for your own notebook only, as the notebook's code is run without
protection.
"""

import argparse
import importlib.util
import sys
from pathlib import Path

from autograder.authoring.toolbox.answers import place_saved
from autograder.authoring.toolbox.ended import code_to_run
from autograder.authoring.toolbox.fresh_run import FreshRun, run_fresh
from autograder.authoring.toolbox.readiness import other_name, report_on
from autograder.authoring.toolbox.released import NOTHING, Released, checks_beside, read_released
from autograder.authoring.toolbox.saved_notebook import (
    NoNotebook,
    SavedCell,
    find_saved,
    read_saved,
    when_saved,
)
from autograder.authoring.toolbox.supported import too_old
from autograder.engine.placing import place

NAME_IT = ": python toolbox.py NAME.ipynb"


def main(arguments: list[str] | None = None) -> int:
    """Print the report on the notebook in the arguments, by default those of this process.

    Return 0 if it is ready, 1 if something is left to do, 2 if no notebook is found or it cannot be
    read.
    """
    parser = argparse.ArgumentParser(
        prog="python toolbox.py", description="Is a saved notebook fit to be handed in?"
    )
    parser.add_argument("notebook", type=Path, nargs="?", help="by default the one in this folder")
    parser.add_argument("--no-run", action="store_true", help="only look, run nothing")
    options = parser.parse_args(arguments)
    try:
        exercises = [name for path in _folders(options.notebook) for name in _exercises_in(path)]
        path = options.notebook or find_saved({}, exercises, NAME_IT)
        cells = read_saved(path)
        released = _released(path, cells)
        notebook = place_saved(cells, released, path.name)
    except NoNotebook as error:
        print(error, file=sys.stderr)
        return 2
    run = None if options.no_run else _run(notebook.cells, path, released)
    report = report_on(notebook, released, run)
    report.to_do.extend(other_name(path, released))
    print(report.title, report.text, when_saved(path), sep="\n")
    return 0 if report.fit else 1


def _run(cells: list[SavedCell], path: Path, released: Released) -> FreshRun | None:
    """Run the notebook's cells in a new process. Return their results.

    If a package is missing or too old, print its name and return None.
    """
    missing = [name for name in ("torch", "IPython") if importlib.util.find_spec(name) is None]
    if missing:
        print(f"Nothing is run, for this is not installed: {', '.join(missing)}.", file=sys.stderr)
        return None
    if sentence := too_old():
        print(f"Nothing is run. {sentence}", file=sys.stderr)
        return None
    sources = [cell.source for cell in code_to_run(cells)]
    return run_fresh(sources, path.parent, released.checks)


def _released(path: Path, cells: list[SavedCell]) -> Released:
    """Return the release of the notebook, which shares most cells with it.

    Raises `NoNotebook` if no file of checks beside it fits.
    """
    releases = [read_released(file) for folder in _folders(path) for file in checks_beside(folder)]
    best = max(
        releases, key=lambda release: len(place(release.cells, cells).cells), default=NOTHING
    )
    if not best.cells:
        raise NoNotebook(
            f"Beside `{path.name}` there is no `..._checks.py`: put the files of the assignment in one "
            "folder."
        )
    return best


def _exercises_in(folder: Path) -> list[str]:
    """Return the names of the exercises in this folder's files of checks."""
    return [name for file in checks_beside(folder) for name in read_released(file).exercises]


def _folders(notebook: Path | None) -> list[Path]:
    """Return the folders with files of checks: the notebook's, or the current, and this file's."""
    first_folder = [notebook.parent] if notebook else [Path()]
    return list(
        dict.fromkeys(folder.resolve() for folder in (*first_folder, Path(__file__).parent))
    )
