"""What an exercise's card, the overview and the cell `exercises` say of it, and whether they agree."""

import re
from collections.abc import Iterator

from autograder.authoring.overview import CELL, FIGURE, exercises_in, overview_source
from autograder.engine.assignment import Assignment
from autograder.toolbox.exercises import Exercise
from autograder.toolbox.progress import worth

EXERCISES = "exercises"
MINUTES = re.compile(r"\b(\d+) minutes")


def listed_exercises(assignment: Assignment) -> dict[str, Exercise]:
    """Return what the cell `exercises` lists; nothing where there is no such cell."""
    space = {"EXERCISES": dict[str, Exercise](), "Exercise": Exercise}
    for cell in assignment.cells:
        if cell.id == EXERCISES:
            exec(cell.source, space)
    return space["EXERCISES"]  # type: ignore[return-value]  # the cell adds to it


def card_pieces(assignment: Assignment) -> Iterator[str]:
    """Yield where the cell `exercises` differs from the cards and from the overview."""
    listed = listed_exercises(assignment)
    if not listed:
        return
    cells = {cell.id: cell for cell in assignment.cells}
    for id, exercise in listed.items():
        card = cells[f"{id}_goal"].source if f"{id}_goal" in cells else ""
        if MINUTES.findall(card) != [str(exercise.minutes)]:
            yield f"the cell `{id}_goal` does not say {exercise.minutes} minutes, as `{EXERCISES}` does."
    yield from _overview(assignment, listed)


def _overview(assignment: Assignment, listed: dict[str, Exercise]) -> Iterator[str]:
    """The cell is the figure, and the figure has a box and a text of each exercise."""
    kept = next((cell.source for cell in assignment.cells if cell.id == CELL), None)
    if kept is None:
        return
    text = overview_source(assignment)
    if kept != text:
        yield f"the cell `{CELL}` is not {FIGURE}: `authoring.overview.write_overview` makes it so."
    drawn = exercises_in(text)
    for id in sorted(drawn.keys() ^ listed.keys()):
        yield f"`{id}` is in one of {FIGURE} and the cell `{EXERCISES}`, not in both."
    for id in drawn.keys() & listed.keys():
        if drawn[id] != {worth(listed[id])}:
            yield f"{FIGURE} says {sorted(drawn[id])} of `{id}`, not `{worth(listed[id])}`."
