"""Report whether a saved notebook is ready to submit, and the remaining tasks."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from autograder.authoring.toolbox.answers import (
    PlacedCells,
    in_other_cells,
    is_missing,
    misplaced,
    own_cells_that_count,
)
from autograder.authoring.toolbox.ended import ended_as, what_stops
from autograder.authoring.toolbox.exercises import ExerciseHeading, Result
from autograder.authoring.toolbox.fresh_run import FreshRun
from autograder.authoring.toolbox.released import Released, title_of_cell
from autograder.authoring.toolbox.saved_notebook import SavedCell
from autograder.engine.placing import CHECK

STUB = "raise NotImplementedError()"  # the code of a cell that is still open
WORDS = {
    "done": "done",
    "filled": "filled in, and grading says whether it is right",
    "written": "written, not checked here",
    "unchecked": "written, not checked: a package lacks what the check uses",
    "by_hand": "written, and a person reads it",
    "open": "still open",
    "failing": "failing",
    "missing": "missing",
}


class Report(NamedTuple):
    """The findings about a saved notebook. It is ready to submit if `to_do` is empty."""

    states: dict[str, str]  # by exercise: one of WORDS
    lines: list[str]  # one per exercise
    to_do: list[str]
    notes: list[str]
    ran: bool = False  # whether its cells were run

    @property
    def fit(self) -> bool:
        """Whether nothing is left to do, so that the file can be graded as intended."""
        return not self.to_do

    @property
    def title(self) -> str:
        """One sentence on whether the notebook is ready to submit, or the number of tasks left."""
        if not self.fit:
            count = len(self.to_do)
            return f"Not fit to be handed in yet: {count} thing{'s' * (count > 1)} to do."
        answered_count = sum(
            state not in ("open", "missing", "failing") for state in self.states.values()
        )
        if not self.ran:
            return f"Written: {answered_count} of {len(self.states)} exercises. Nothing was run."
        if not answered_count:
            return "It can be handed in, but no check passes yet."
        if answered_count == len(self.states):
            return f"Fit to be handed in: all {answered_count} exercises are there."
        return (
            f"Fit to be handed in as it is, with {answered_count} of {len(self.states)} exercises."
        )

    @property
    def text(self) -> str:
        """All findings, a line each: tasks, then a line for each exercise, then other remarks."""
        return "\n".join([*(f"To do: {task}" for task in self.to_do), *self.lines, *self.notes])


def other_name(path: Path, released: Released) -> Iterator[str]:
    """Yield a sentence if the file at `path` does not have the name prescribed by the release."""
    if released.notebook not in ("", path.name):
        yield f"This file is called `{path.name}`: hand it in as `{released.notebook}`."


def report_on(notebook: PlacedCells, released: Released, run: FreshRun | None = None) -> Report:
    """Return the report on a notebook.

    `run`: the results of the cells of `code_to_run`, None if they were not run.
    """
    cells = notebook.cells
    results = {name: ended_as(name, cells, released, run) for name in released.exercises}
    states = {name: _state(name, notebook, released, result) for name, result in results.items()}
    lines = [
        _line(exercise, states[name], results[name], notebook.answers.get(name, ()))
        for name, exercise in released.exercises.items()
    ]
    to_do = [*_missing(states, released), *in_other_cells(notebook, released, states)]
    if not to_do and all(state == "open" for state in states.values()):
        to_do.append("No exercise is answered yet.")
    if run:
        states_of_placed = {
            name: state for name, state in states.items() if not misplaced(name, notebook, released)
        }
        to_do += what_stops(cells, run, released, states_of_placed)
    notes = [
        *notebook.placement.repairs,
        *_provided_and_missing(notebook, released),
        *own_cells_that_count(notebook, released),
    ]
    return Report(states, lines, to_do, notes, run is not None)


def _state(name: str, notebook: PlacedCells, released: Released, result: Result | None) -> str:
    """Return the state of the exercise `name`, a key of WORDS. `result`: of its visible check."""
    if is_missing(name, notebook):
        return "missing"
    passed = result is not None and result.state == "done"  # no matter which cell solved it
    if not passed and not notebook.answers.get(name):
        return "open"
    if released.exercises[name].by_hand:
        return "by_hand"
    if passed and released.exercises[name].form_only:
        return "filled"
    return result.state if result else "written"


def _line(
    exercise: ExerciseHeading, state: str, result: Result | None, answer: Sequence[SavedCell]
) -> str:
    """Return the report's line on an exercise. `answer`: the cells that are graded."""
    has_stub = state == "written" and any(map(_has_stub, answer))
    detail = f"`{STUB}` is still in it" if has_stub else ""
    if result and result.state == state and state in ("failing", "open"):
        first, *_ = [*result.message.splitlines(), ""]
        detail = f"{result.question} {first}".strip()
    words = ": ".join(part for part in (WORDS[state], detail) if part)
    return f"Exercise {exercise.number}, {exercise.title}: {words}"


def _has_stub(cell: SavedCell) -> bool:
    return STUB in map(str.strip, cell.source.splitlines())


def _missing(states: Mapping[str, str], released: Released) -> Iterator[str]:
    for name, state in states.items():
        if state == "missing":
            yield (
                f"{title_of_cell(name, released)} (`{name}`) is missing. Copy it from the notebook as you got "
                "it, and put your answer in."
            )


def _provided_and_missing(notebook: PlacedCells, released: Released) -> Iterator[str]:
    """Yield a sentence with the missing code cells of no exercise, which grading puts back."""
    existing_names = {name for cell in notebook.cells for name in cell.names}
    names = [
        f"`{cell.id}`"
        for cell in released.cells
        if cell.kind == "code" and cell.role in ("", CHECK) and cell.id not in existing_names
    ]
    if names:
        yield f"Missing cells, which grading puts back: {', '.join(names)}."
