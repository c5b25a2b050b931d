"""What an exercise's card, the overview and the cell `exercises` say of it, and whether they agree."""

import re
from collections.abc import Iterator

from autograder.authoring.exercise_table import CELL as EXERCISES
from autograder.authoring.exercise_table import NoTable, exercise_table
from autograder.authoring.overview import CELL, FIGURE, exercises_in, overview_source
from autograder.engine.assignment import Assignment
from autograder.toolbox.exercises import Exercise, worth

MINUTES = re.compile(r"\b(\d+) minutes")


def card_pieces(assignment: Assignment) -> Iterator[str]:
    """Yield where the cell `exercises` differs from the cards and from the overview."""
    try:
        listed = exercise_table(assignment.cells)
    except NoTable:  # which is said where the table itself is looked at
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
    if text is None:
        yield f"the cell `{CELL}` needs {FIGURE}, which is missing: draw it, or delete the cell."
        return
    if kept != text:
        yield f"the cell `{CELL}` is not {FIGURE}: run `python -m autograder release {assignment.id}`."
    drawn = exercises_in(text)
    for id in sorted(drawn.keys() ^ listed.keys()):
        yield f"`{id}` is in one of {FIGURE} and the cell `{EXERCISES}`, not in both."
    for id in drawn.keys() & listed.keys():
        if drawn[id] != {worth(listed[id])}:
            yield f"{FIGURE} says {sorted(drawn[id])} of `{id}`, not `{worth(listed[id])}`."
