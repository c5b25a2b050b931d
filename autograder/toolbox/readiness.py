"""Whether a saved notebook is fit to be handed in, and what to do if not."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from autograder.toolbox.exercises import Exercise, Result, defines
from autograder.toolbox.fresh_run import FreshRun
from autograder.toolbox.released import Released
from autograder.toolbox.saved_notebook import NoNotebook, SavedCell, fingerprint

WORDS = {
    "done": "done",
    "filled": "filled in, and grading says whether it is right",
    "written": "written, not checked here",
    "by_hand": "written, and a person reads it",
    "open": "still open",
    "failing": "failing",
    "missing": "missing",
}
CHECK_CELL = "check_"  # a check cell is named after its solution cell
MOST_TOLD = 3  # cells that stop: the later ones often stop because of the first


class Report(NamedTuple):
    """What was found in a file."""

    states: dict[str, str]  # by exercise: one of WORDS
    lines: list[str]  # one an exercise
    to_do: list[str]
    notes: list[str]

    @property
    def fit(self) -> bool:
        """Whether what is there can be graded as it is meant."""
        return not self.to_do

    @property
    def title(self) -> str:
        """The result in a sentence."""
        if not self.fit:
            count = len(self.to_do)
            return f"Not fit to be handed in yet: {count} thing{'s' * (count > 1)} to do."
        made = sum(state not in ("open", "missing", "failing") for state in self.states.values())
        if made == len(self.states):
            return f"Fit to be handed in: all {made} exercises are there."
        return f"Fit to be handed in as it is, with {made} of {len(self.states)} exercises."

    @property
    def text(self) -> str:
        """All that was found, line by line, first what is to do."""
        return "\n".join([*(f"To do: {one}" for one in self.to_do), *self.lines, *self.notes])


def refuse_another(cells: Sequence[SavedCell], released: Released, name: str) -> None:
    """Raise `NoNotebook` where no cell belongs to an exercise of the assignment."""
    if not any(_cell_of(one, cells, released) for one in released.exercises):
        raise NoNotebook(f"`{name}` has no cell of this assignment: is it the right file?")


def code_to_run(cells: Sequence[SavedCell]) -> list[SavedCell]:
    """Return the cells that grading would run, and the visible checks."""
    return [cell for cell in cells if cell.kind == "code" and not cell.skipped]


def report_on(
    cells: Sequence[SavedCell], released: Released, run: FreshRun | None = None
) -> Report:
    """Look through a notebook; `run` says how the cells of `code_to_run` ended, if they were run."""
    found = {name: _cell_of(name, cells, released) for name in released.cells}
    ended = {name: _ended(name, cells, released, run) for name in released.exercises}
    states = {
        name: _state(name, found.get(name), released, result) for name, result in ended.items()
    }
    lines = [
        _line(exercise, states[name], ended[name]) for name, exercise in released.exercises.items()
    ]
    to_do = [*_missing(states, released), *_doubled(cells, released)]
    if all(state in ("open", "missing") for state in states.values()):
        to_do.append("No exercise is answered yet.")
    if run:
        to_do += [*_failing_cells(code_to_run(cells), run, released), *_unknown_names(run, states)]
    return Report(states, lines, to_do, [*_renamed(found), *_provided_and_missing(found, states)])


def not_as_run(
    cells: Sequence[SavedCell], released: Released, history: Sequence[str]
) -> Iterator[str]:
    """Yield what to do where the cells that were run last are not those that are saved."""
    for name, exercise in released.exercises.items():
        cell = _cell_of(name, cells, released)
        ran = [text for text in history if defines(text, exercise)]
        if cell and ran and fingerprint(ran[-1]) != fingerprint(cell.source):
            yield (
                f"{_title(name, released)}: what ran last is not what is saved. Run the cell once "
                "more, and save the notebook."
            )


def _cell_of(name: str, cells: Sequence[SavedCell], released: Released) -> SavedCell | None:
    """The cell with this name, the last of several; else the one that says or defines the same."""
    named = [cell for cell in cells if name in cell.names]
    if named:
        return named[-1]
    free = [cell for cell in cells if not set(cell.names) & released.cells.keys()]
    same = [cell for cell in free if fingerprint(cell.source) == released.cells.get(name)]
    exercise = released.exercises.get(name)
    if exercise and not same:
        same = [cell for cell in free if cell.kind == "code" and defines(cell.source, exercise)]
    return same[-1] if same else None


def _ended(
    name: str, cells: Sequence[SavedCell], released: Released, run: FreshRun | None
) -> Result | None:
    """How the check of an exercise ended, by its steps or by what its cell raised.

    None where it was not run, or is not the one that the notebook came with.
    """
    check = CHECK_CELL + name
    for cell, error in zip(code_to_run(cells), run.errors if run else (), strict=False):
        if check in cell.names and fingerprint(cell.source) == released.cells.get(check):
            if run and name in run.results:
                return run.results[name]
            stub = error == "NotImplementedError"  # without a message
            state = "open" if stub else "failing" if error else "done"
            return Result(state, (), error)
    return None


def _state(name: str, cell: SavedCell | None, released: Released, ended: Result | None) -> str:
    if cell is None:
        return "missing"
    if not cell.source.strip() or fingerprint(cell.source) == released.cells.get(name):
        return "open"
    if released.exercises[name].by_hand:
        return "by_hand"
    filled = ended and ended.state == "done" and released.exercises[name].form_only
    return "filled" if filled else ended.state if ended else "written"


def _line(exercise: Exercise, state: str, result: Result | None) -> str:
    asked = result.question if result and state == "failing" else ""
    said = result.message.partition("\n")[0] if result and state == "failing" else ""
    words = ": ".join(part for part in (WORDS[state], f"{asked} {said}".strip()) if part)
    return f"Exercise {exercise.number}, {exercise.title}: {words}"


def _missing(states: Mapping[str, str], released: Released) -> Iterator[str]:
    for name, state in states.items():
        if state == "missing":
            yield (
                f"{_title(name, released)} (`{name}`) is missing. Copy it from the notebook as you got "
                "it, and put your answer in."
            )


def _provided_and_missing(
    found: Mapping[str, SavedCell | None], states: Mapping[str, str]
) -> Iterator[str]:
    names = [f"`{name}`" for name, cell in found.items() if cell is None and name not in states]
    if names:
        yield f"Missing cells, which grading puts back: {', '.join(names)}."


def _doubled(cells: Sequence[SavedCell], released: Released) -> Iterator[str]:
    counts = Counter(name for cell in cells for name in cell.names if name in released.cells)
    for name, count in counts.items():
        if count > 1:
            yield f"{_title(name, released)} is there {count} times, and the last one counts: keep one."


def _renamed(found: Mapping[str, SavedCell | None]) -> Iterator[str]:
    for name, cell in found.items():
        if cell and name not in cell.names:
            yield f"The cell `{name}` has lost its name; it was found by what it says."


def _failing_cells(cells: Sequence[SavedCell], run: FreshRun, released: Released) -> Iterator[str]:
    """What stops when the file alone is run from the top; failing checks are said elsewhere."""
    ended = zip(cells, run.errors, strict=False)
    stopped = [(cell, error) for cell, error in ended if error and not _is_check(cell)]
    for cell, error in stopped[:MOST_TOLD]:
        first = next((line for line in cell.source.splitlines() if line.strip()), "")
        undefined = error.startswith("NameError")
        asked = " Is something used that no cell above it defines?" if undefined else ""
        yield f"In a fresh kernel {_called(cell, first, released)} stops: {error}.{asked}"
    if run.trouble:
        number = min(len(run.errors), len(cells) - 1)
        yield f"In a fresh kernel the notebook was not run to its end ({run.trouble}; cell {number + 1})."


def _unknown_names(run: FreshRun, states: Mapping[str, str]) -> Iterator[str]:
    """What a check stopped at because a cell that is gone had defined it."""
    for name, result in run.results.items():
        if states.get(name) == "failing" and result.message.startswith("NameError"):
            error = result.message.partition("\n")[0]
            yield f"The check of `{name}` stops in a fresh kernel: {error}. Which cell defines it?"


def _is_check(cell: SavedCell) -> bool:
    return any(name.startswith(CHECK_CELL) for name in cell.names)


def _called(cell: SavedCell, first: str, released: Released) -> str:
    known = [name for name in cell.names if name in released.cells]
    return "the" + _title(known[0], released)[3:] if known else f"your cell `{first.strip()[:60]}`"


def _title(name: str, released: Released) -> str:
    exercise = released.exercises.get(name)
    return f"The cell of exercise {exercise.number}" if exercise else f"The cell `{name}`"
