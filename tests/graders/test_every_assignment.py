"""Of each assignment: the solution earns everything, the release nothing, each exercise its own points."""

import pytest
from courses import ASSIGNMENTS, each_assignment
from submissions import SHORT, exercise

from autograder.authoring.sample_class import SampleSubmission, write_submission
from autograder.engine.grade import Grader
from autograder.engine.verdict import Verdict

EXERCISES = [(one, exercise.id) for one in ASSIGNMENTS for exercise in one.exercises]
each_exercise = pytest.mark.parametrize(
    ("assignment", "name"), EXERCISES, ids=[f"{one.id}-{name}" for one, name in EXERCISES]
)


@pytest.fixture
def graded(walls, tmp_path):
    """Grade the release of an assignment with these cells in it."""

    def run(assignment, cells: dict[str, str]) -> Verdict:
        path = write_submission(assignment, tmp_path / "s001", SampleSubmission(cells, ""))
        return Grader(assignment, walls, SHORT).grade("s001", path).verdict

    return run


@each_assignment
def test_the_solution_earns_everything(assignment, graded):
    verdict = graded(assignment, assignment.solutions)
    points = {exercise.id: exercise.points for exercise in assignment.exercises}
    assert {result.id: result.points for result in verdict.exercises} == points
    assert {result.state for result in verdict.exercises} == {"answered"}
    assert verdict.notes == []


@each_assignment
def test_the_release_earns_nothing_and_nothing_is_attempted(assignment, graded):
    verdict = graded(assignment, {})
    assert verdict.points == 0
    assert {result.state for result in verdict.exercises} == {"not_attempted"}


@each_exercise
def test_one_solution_alone_earns_its_points_and_no_others(assignment, name, graded):
    verdict = graded(assignment, {name: assignment.solutions[name]})
    assert verdict.points == exercise(verdict, name).points == exercise(verdict, name).max_points
    states = {result.id: result.state for result in verdict.exercises}
    assert states.pop(name) == "answered" and set(states.values()) <= {"not_attempted"}
