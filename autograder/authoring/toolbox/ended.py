"""Report how the cells and checks of a saved notebook ended when it was run from the top."""

import re
from collections.abc import Iterator, Mapping, Sequence

from autograder.authoring.toolbox.answers import first_line
from autograder.authoring.toolbox.exercises import Result
from autograder.authoring.toolbox.fresh_run import FreshRun
from autograder.authoring.toolbox.released import CHECK_CELL, Released, title_of_cell
from autograder.authoring.toolbox.saved_notebook import SavedCell
from autograder.engine.placing import fingerprint

MOST_TOLD = 3  # reported failing cells: later cells often fail because of the first


def code_to_run(cells: Sequence[SavedCell]) -> list[SavedCell]:
    """Return the code cells that run when the notebook is graded, with visible checks.

    `cells`: as placed.
    """
    return [cell for cell in cells if cell.kind == "code" and not cell.skipped]


def ended_as(
    name: str, cells: Sequence[SavedCell], released: Released, run: FreshRun | None
) -> Result | None:
    """Return the result of the visible check of the exercise `name` in this run.

    None if the notebook was not run (`run` is None), if the check was not reached, or if the
    student changed its cell.
    """
    check = CHECK_CELL + name
    for cell, error in zip(code_to_run(cells), run.errors if run else (), strict=False):
        if check in cell.names and fingerprint(cell.source) == released.fingerprints.get(check):
            if run and name in run.results:
                return run.results[name]
            stub = error == "NotImplementedError"  # a stub's exception has no message
            state = "open" if stub else "failing" if error else "done"
            return Result(state, (), error)
    return None


def names_that_stop(cells: Sequence[SavedCell], run: FreshRun) -> set[str]:
    """Return the names of all cells that raised an exception in this run."""
    endings = zip(code_to_run(cells), run.errors, strict=False)
    return {name for cell, error in endings if error for name in cell.names}


def what_stops(
    cells: Sequence[SavedCell], run: FreshRun, released: Released, states: Mapping[str, str]
) -> Iterator[str]:
    """Yield a sentence for each cell or check that stopped in this run, with the remedy.

    At most MOST_TOLD cells are reported, and an incomplete run. A failing visible check is reported
    if it stopped at an undefined name. Cells and checks that stopped only because of an earlier
    cell are left out. `states`: of the exercises, by name, as in `Report.states`.
    """
    to_run = code_to_run(cells)
    endings = zip(to_run, run.errors, strict=False)
    stopped = [(cell, error) for cell, error in endings if error and not _is_check(cell)]
    for number, (cell, error) in enumerate(stopped[:MOST_TOLD]):
        if not _follows(error, stopped[:number]):
            undefined = error.startswith("NameError")
            hint = " Is something used that no cell above it defines?" if undefined else ""
            sentence = f"{_called(cell, released)} stops: {without_file(error)}"
            yield f"Run from the top, {sentence}.{hint}"
    if run.trouble:
        number = min(len(run.errors), len(to_run) - 1)
        yield f"The notebook was not run to its end ({run.trouble}; cell {number + 1})."
    for name, result in run.results.items():
        error, *hint_lines = result.message.splitlines() or [""]
        undefined = states.get(name) == "failing" and error.startswith("NameError")
        if undefined and not _follows(error, stopped):
            hint = " ".join(hint_lines) or "Which cell defines it?"
            yield f"Run from the top, the check of `{name}` stops: {error}. {hint}"


def without_file(error: str) -> str:
    """Return an exception's message without the file name that IPython gives to a cell."""
    return re.sub(r" ?\([^()]*, line (\d+)\)$", r", line \1", error)


def _follows(error: str, stopped: Sequence[tuple[SavedCell, str]]) -> bool:
    """Whether the exception is a `NameError` on a name in a cell that raised before.

    `stopped`: these cells, with their exceptions.
    """
    name = re.match(r"NameError: name '(\w+)'", error)
    return name is not None and any(
        re.search(rf"\b{name[1]}\b", cell.source) for cell, _ in stopped
    )


def _is_check(cell: SavedCell) -> bool:
    return any(name.startswith(CHECK_CELL) for name in cell.names)


def _called(cell: SavedCell, released: Released) -> str:
    """Return the description of the cell: its exercise, its name or its first line."""
    released_names = [name for name in cell.names if name in released.fingerprints]
    return (
        "the" + title_of_cell(released_names[0], released)[3:]
        if released_names
        else f"your cell `{first_line(cell)}`"
    )
