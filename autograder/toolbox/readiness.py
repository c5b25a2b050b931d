"""Say whether a saved notebook is ready to be handed in, and what to do if it is not."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from autograder.toolbox.answers import (
    cell_of,
    in_other_cells,
    is_written,
    misplaced,
    own_cells_that_count,
)
from autograder.toolbox.ended import ended_as, what_stops
from autograder.toolbox.exercises import ExerciseHeading, Result
from autograder.toolbox.fresh_run import FreshRun
from autograder.toolbox.released import Released, title_of_cell
from autograder.toolbox.saved_notebook import NoNotebook, SavedCell

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


def refuse_another(cells: Sequence[SavedCell], released: Released, name: str) -> None:
    """Raise `NoNotebook` if none of these cells belongs to an exercise of the assignment; `name`:
    of the file, for the message.
    """
    if not any(cell_of(one, cells, released) for one in released.exercises):
        raise NoNotebook(f"`{name}` has no cell of this assignment: is it the right file?")


def other_name(path: Path, released: Released) -> Iterator[str]:
    """Yield a sentence if the file at `path` is not called as it has to be when it is handed in;
    none if the release prescribes no name.
    """
    if released.notebook not in ("", path.name):
        yield f"This file is called `{path.name}`: hand it in as `{released.notebook}`."


def report_on(
    cells: Sequence[SavedCell], released: Released, run: FreshRun | None = None
) -> Report:
    """Return the report on a notebook with these cells.

    `run`: how the cells of `code_to_run` ended, None if they were not run.
    """
    found = {name: cell_of(name, cells, released) for name in released.cells}
    ended = {name: ended_as(name, cells, released, run) for name in released.exercises}
    states = {
        name: _state(name, found.get(name), released, result) for name, result in ended.items()
    }
    lines = [
        _line(exercise, states[name], ended[name], found.get(name))
        for name, exercise in released.exercises.items()
    ]
    to_do = [*_missing(states, released), *_doubled(cells, released)]
    to_do += in_other_cells(cells, released, states)
    if not to_do and all(state == "open" for state in states.values()):
        to_do.append("No exercise is answered yet.")
    if run:
        placed = {
            name: state for name, state in states.items() if not misplaced(name, cells, released)
        }
        to_do += what_stops(cells, run, released, placed)
    notes = [
        *_renamed(found, cells),
        *_provided_and_missing(found, states),
        *own_cells_that_count(cells, released),
    ]
    return Report(states, lines, to_do, notes, run is not None)


def _state(name: str, cell: SavedCell | None, released: Released, ended: Result | None) -> str:
    """Return the state of the exercise `name`, a key of WORDS. `cell`: its graded cell, None if it
    is missing; `ended`: how its visible check ended, None if it was not run.
    """
    if cell is None:
        return "missing"
    done = ended is not None and ended.state == "done"  # whichever cell it was that did it
    if not done and not is_written(name, cell, released):
        return "open"
    if released.exercises[name].by_hand:
        return "by_hand"
    if done and released.exercises[name].form_only:
        return "filled"
    return ended.state if ended else "written"


def _line(
    exercise: ExerciseHeading, state: str, result: Result | None, cell: SavedCell | None
) -> str:
    """Return the report's line on an exercise. `state`: a key of WORDS; `result`: how the visible
    check ended, None if it was not run; `cell`: the cell that is graded, None if it is missing.
    """
    said = f"`{STUB}` is still in it" if state == "written" and cell and _has_stub(cell) else ""
    if result and result.state == state and state in ("failing", "open"):
        first, *_ = [*result.message.splitlines(), ""]
        said = f"{result.question} {first}".strip()
    words = ": ".join(part for part in (WORDS[state], said) if part)
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


def _provided_and_missing(
    found: Mapping[str, SavedCell | None], states: Mapping[str, str]
) -> Iterator[str]:
    """Yield a sentence with the names of the cells that are missing and belong to no exercise;
    grading puts these back.

    `found`: the graded cell by name; `states`: of the exercises.
    """
    names = [f"`{name}`" for name, cell in found.items() if cell is None and name not in states]
    if names:
        yield f"Missing cells, which grading puts back: {', '.join(names)}."


def _doubled(cells: Sequence[SavedCell], released: Released) -> Iterator[str]:
    """Yield a sentence for each released cell that is in the notebook more than once."""
    counts = Counter(name for cell in cells for name in cell.names if name in released.cells)
    for name, count in counts.items():
        if count > 1:
            yield f"{title_of_cell(name, released)} is there {count} times, and the last one counts: keep one."


def _renamed(found: Mapping[str, SavedCell | None], cells: Sequence[SavedCell]) -> Iterator[str]:
    """Yield a sentence for each cell that was found although it has lost its name. `found`: the
    graded cell by name.
    """
    there = {name for cell in cells for name in cell.names}
    for name, cell in found.items():
        if cell and name not in there:
            yield f"The cell `{name}` has lost its name; it was found by what it says."
