"""What tests of the graders share."""

from collections.abc import Callable

import pytest

from autograder import Assignment
from autograder.authoring.visible_checks import VisibleChecks
from autograder.authoring.without_walls import examine_without_walls, quiet


@pytest.fixture
def faults() -> Callable[..., list[str]]:
    """What the grade and the notebook's own checks find wrong in cells, in the solution's place."""
    return _faults


def _faults(assignment: Assignment, cells: dict[str, str], seed: int = 1) -> list[str]:
    """What the grade and the notebook find wrong in these cells, in the solution's place."""
    coded = {exercise.id: exercise for exercise in assignment.exercises}
    about = [coded[name] for name in cells if name in coded]
    visible = VisibleChecks(assignment)
    shown = [exercise.id for exercise in about if exercise.id in visible.exercises]
    with quiet():
        runs = examine_without_walls(assignment, assignment.solved_cells() | cells, seed, about)
        states = visible.run(cells, *shown)
    return [
        *(f"{run.exercise}: {run.id}: {run.message}" for run in runs if not run.passed),
        *(
            f"{name}: {it.question} {it.message}"
            for name, it in states.items()
            if it.state != "done"
        ),
    ]
