"""Say whether a saved notebook is ready to be handed in, and what to do if it is not."""

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

STUB = "raise NotImplementedError()"  # what stands in a cell that is still open
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
    """What was found out about a saved notebook. It is ready to be handed in if `to_do` is empty."""

    states: dict[str, str]  # by exercise: one of WORDS
    lines: list[str]  # one an exercise
    to_do: list[str]
    notes: list[str]
    ran: bool = False  # whether its cells were run

    @property
    def fit(self) -> bool:
        """Whether nothing is left to do, so that the file can be graded as intended."""
        return not self.to_do

    @property
    def title(self) -> str:
        """In one sentence, whether the notebook is ready to be handed in, or how much is to be
        done.
        """
        if not self.fit:
            count = len(self.to_do)
            return f"Not fit to be handed in yet: {count} thing{'s' * (count > 1)} to do."
        made = sum(state not in ("open", "missing", "failing") for state in self.states.values())
        if not self.ran:
            return f"Written: {made} of {len(self.states)} exercises. Nothing was run."
        if not made:
            return "It can be handed in, but no check passes yet."
        if made == len(self.states):
            return f"Fit to be handed in: all {made} exercises are there."
        return f"Fit to be handed in as it is, with {made} of {len(self.states)} exercises."

    @property
    def text(self) -> str:
        """All that was found, one line each: first what has to be done, then a line for each
        exercise, then other remarks.
        """
        return "\n".join([*(f"To do: {one}" for one in self.to_do), *self.lines, *self.notes])


def other_name(path: Path, released: Released) -> Iterator[str]:
    """Yield a sentence if the file at `path` is not called as it has to be when it is handed in;
    none if the release prescribes no name.
    """
    if released.notebook not in ("", path.name):
        yield f"This file is called `{path.name}`: hand it in as `{released.notebook}`."


def report_on(notebook: PlacedCells, released: Released, run: FreshRun | None = None) -> Report:
    """Return the report on a notebook.

    `run`: how the cells of `code_to_run` ended, None if they were not run.
    """
    cells = notebook.cells
    ended = {name: ended_as(name, cells, released, run) for name in released.exercises}
    states = {name: _state(name, notebook, released, result) for name, result in ended.items()}
    lines = [
        _line(exercise, states[name], ended[name], notebook.answers.get(name, ()))
        for name, exercise in released.exercises.items()
    ]
    to_do = [*_missing(states, released), *in_other_cells(notebook, released, states)]
    if not to_do and all(state == "open" for state in states.values()):
        to_do.append("No exercise is answered yet.")
    if run:
        placed = {
            name: state for name, state in states.items() if not misplaced(name, notebook, released)
        }
        to_do += what_stops(cells, run, released, placed)
    notes = [
        *notebook.placement.repairs,
        *_provided_and_missing(notebook, released),
        *own_cells_that_count(notebook, released),
    ]
    return Report(states, lines, to_do, notes, run is not None)


def _state(name: str, notebook: PlacedCells, released: Released, ended: Result | None) -> str:
    """Return the state of the exercise `name`, a key of WORDS. `ended`: how its visible check
    ended, None if it was not run.
    """
    if is_missing(name, notebook):
        return "missing"
    done = ended is not None and ended.state == "done"  # whichever cell it was that did it
    if not done and not notebook.answers.get(name):
        return "open"
    if released.exercises[name].by_hand:
        return "by_hand"
    if done and released.exercises[name].form_only:
        return "filled"
    return ended.state if ended else "written"


def _line(
    exercise: ExerciseHeading, state: str, result: Result | None, answer: Sequence[SavedCell]
) -> str:
    """Return the report's line on an exercise. `state`: a key of WORDS; `result`: how the visible
    check ended, None if it was not run; `answer`: the cells that are graded.
    """
    has_stub = state == "written" and any(map(_has_stub, answer))
    detail = f"`{STUB}` is still in it" if has_stub else ""
    if result and result.state == state and state in ("failing", "open"):
        first, *_ = [*result.message.splitlines(), ""]
        detail = f"{result.question} {first}".strip()
    words = ": ".join(part for part in (WORDS[state], detail) if part)
    return f"Exercise {exercise.number}, {exercise.title}: {words}"


def _has_stub(cell: SavedCell) -> bool:
    """Whether the line of the stub is still in the cell."""
    return STUB in map(str.strip, cell.source.splitlines())


def _missing(states: Mapping[str, str], released: Released) -> Iterator[str]:
    """Yield a sentence for each exercise whose cell is missing."""
    for name, state in states.items():
        if state == "missing":
            yield (
                f"{title_of_cell(name, released)} (`{name}`) is missing. Copy it from the notebook as you got "
                "it, and put your answer in."
            )


def _provided_and_missing(notebook: PlacedCells, released: Released) -> Iterator[str]:
    """Yield a sentence with the names of the code cells that are missing and belong to no exercise;
    grading puts these back.
    """
    there = {name for cell in notebook.cells for name in cell.names}
    names = [
        f"`{cell.id}`"
        for cell in released.cells
        if cell.kind == "code" and cell.role in ("", CHECK) and cell.id not in there
    ]
    if names:
        yield f"Missing cells, which grading puts back: {', '.join(names)}."
