"""Of each assignment: the solution earns everything, the release nothing, each exercise its own points,
and every check is there for a mistake.
"""

import pytest
from courses import ASSIGNMENTS, each_assignment
from submissions import SHORT, exercise

from autograder.authoring.sample_class import SampleSubmission, write_submission
from autograder.engine import Graded
from autograder.engine.grading import Grader
from autograder.mistakes.exercises import diagnose_exercises

EXERCISES = [(one, exercise.id) for one in ASSIGNMENTS for exercise in one.exercises]
each_exercise = pytest.mark.parametrize(
    ("assignment", "name"), EXERCISES, ids=[f"{one.id}-{name}" for one, name in EXERCISES]
)


@pytest.fixture(scope="module")
def graded(walls, tmp_path_factory):
    """Grade the release of an assignment with these cells in it."""

    def run(assignment, cells: dict[str, str]) -> Graded:
        folder = tmp_path_factory.mktemp("graded") / "s001"
        path = write_submission(assignment, folder, SampleSubmission(cells, ""))
        return Grader(assignment, walls, SHORT, explain=diagnose_exercises).grade("s001", path)

    return run


@pytest.fixture(scope="module")
def solution_graded(graded):
    """Grade an assignment's solution, once."""
    done: dict[str, Graded] = {}

    def run(assignment) -> Graded:
        if assignment.id not in done:
            done[assignment.id] = graded(assignment, assignment.solutions)
        return done[assignment.id]

    return run


@each_assignment
def test_the_solution_earns_everything(assignment, solution_graded):
    verdict = solution_graded(assignment).verdict
    points = {exercise.id: exercise.points for exercise in assignment.exercises}
    assert {result.id: result.points for result in verdict.exercises} == points
    assert {result.state for result in verdict.exercises} == {"answered"}
    assert verdict.notes == []


@each_assignment
def test_the_release_earns_nothing_and_nothing_is_attempted(assignment, graded):
    verdict = graded(assignment, {}).verdict
    assert verdict.points == 0
    assert {result.state for result in verdict.exercises} == {"not_attempted"}


@each_exercise
def test_one_solution_alone_earns_its_points_and_no_others(assignment, name, graded):
    verdict = graded(assignment, {name: assignment.solutions[name]}).verdict
    assert verdict.points == exercise(verdict, name).points == exercise(verdict, name).max_points
    states = {result.id: result.state for result in verdict.exercises}
    assert states.pop(name) == "answered" and set(states.values()) <= {"not_attempted"}
