"""The last cell of the notebook: report whether the saved file is ready to submit."""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from IPython import get_ipython

from autograder.authoring.toolbox.answers import PlacedCells, misplaced, place_saved
from autograder.authoring.toolbox.begin import Begun, ask_for_set_up
from autograder.authoring.toolbox.ended import code_to_run, names_that_stop
from autograder.authoring.toolbox.exercises import EXERCISES, RESULTS, defines
from autograder.authoring.toolbox.fresh_run import FRESH, FreshRun, run_fresh
from autograder.authoring.toolbox.readiness import (
    other_name,
    report_on,
)
from autograder.authoring.toolbox.released import Released, title_of_cell
from autograder.authoring.toolbox.saved_notebook import (
    NoNotebook,
    cells_in_colab,
    find_saved,
    read_saved,
    when_saved,
)
from autograder.authoring.toolbox.student import names
from autograder.authoring.toolbox.telling import panel
from autograder.engine.placing import fingerprint

NAME_IN_CALL = ', as in toolbox.fit_to_hand_in("folder/name.ipynb").'


def fit_to_hand_in(file: str = "") -> None:
    """Read the saved notebook, run it in a new process, and show the remaining tasks.

    `file`: the path of the notebook's file, if it cannot be found.
    """
    if FRESH in os.environ:  # the new process also runs this cell
        return
    released = Begun.released
    if not released.exercises:
        ask_for_set_up()
        return
    if not released.cells:  # in the solution
        print("Only the released notebook can be checked here.")
        return
    try:
        notebook, path, save_sentence = _saved_notebook(file)
    except NoNotebook as error:
        panel("failing", "The saved notebook could not be checked.", str(error))
        return
    to_run = [cell.source for cell in code_to_run(notebook.cells)]
    run = run_fresh(to_run, path.parent, released.checks)
    report = report_on(notebook, released, run)
    shell = get_ipython()
    history = shell.history_manager.input_hist_raw if shell else ()
    passing = [name for name, result in RESULTS.items() if result.state == "done"]
    report.to_do.extend(only_here(notebook, released, run, report.states, history, passing))
    report.to_do.extend(other_name(path, released))
    panel("done" if report.fit else "failing", report.title, f"{report.text}\n{save_sentence}")


def _saved_notebook(file: str) -> tuple[PlacedCells, Path, str]:
    """Return the notebook's saved cells, its path, and a sentence on the time of saving.

    Raises `NoNotebook` if it is not found, cannot be read, or is of another assignment.
    """
    if not file and (cells := cells_in_colab()):
        as_named = Path(Begun.released.notebook)  # Colab does not reveal the file's name
        notebook = place_saved(cells, Begun.released, "This notebook")
        return notebook, as_named, "Checked as it stands in Colab now: download it after this."
    path = Path(file) if file else find_saved(names(), EXERCISES, NAME_IN_CALL)
    notebook = place_saved(read_saved(path), Begun.released, path.name)
    return notebook, path, when_saved(path)


def only_here(
    notebook: PlacedCells,
    released: Released,
    run: FreshRun,
    states: Mapping[str, str],
    history: Sequence[str],
    done: Collection[str] = (),
) -> Iterator[str]:
    """Yield a sentence for each exercise if its saved answer differs from the running notebook's.

    `run`: how the saved cells ended in a new process. `states`: of the exercises, by name.
    `history`: all code that was run in this notebook's kernel. `done`: the exercises with passing
    checks in it. Cells that raise are left out, as they are reported already.
    """
    stops = names_that_stop(notebook.cells, run)
    for name, exercise in released.exercises.items():
        if name in stops:
            continue
        if _ran_another(name, notebook, released, history):
            yield (
                f"{title_of_cell(name, released)}: what ran last is not what is saved. Run the cell "
                "once more, and save the notebook."
            )
        elif name in done and states[name] == "failing" and not run.trouble:
            yield (
                f"Exercise {exercise.number} passes its check here, and not in a fresh kernel: "
                "restart the kernel, run all cells, and see what is missing."
            )


def _ran_another(
    name: str, notebook: PlacedCells, released: Released, history: Sequence[str]
) -> bool:
    """Whether the code last run for the exercise `name` differs from its saved cell.

    False if nothing was run, if the notebook has no cell of the exercise, or if its answer is in a
    wrong cell, which is reported elsewhere.
    """
    last_run = [text for text in history if defines(text, released.exercises[name])][-1:]
    saved_cells = notebook.answers.get(name) or [
        cell for cell in notebook.cells if name in cell.names
    ]
    if (
        not saved_cells
        or not last_run
        or fingerprint(last_run[0]) == fingerprint(saved_cells[0].source)
    ):
        return False
    return misplaced(name, notebook, released) is None
