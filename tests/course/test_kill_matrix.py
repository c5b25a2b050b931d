"""The kill matrix in short: mistakes are caught and named where they are, and variants are right.

Some 8 rows behind the walls, whatever the number of assignments; `make test-long` takes the others, in
this process. `make matrix` takes all behind the walls.

The seed is fixed here, and with it what chance has a part in; `make matrix` takes fresh ones.
"""

import ast
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest
from courses import ASSIGNMENTS
from submissions import SHORT, exercise

from autograder import Assignment
from autograder.authoring.faults import faults
from autograder.authoring.row import MatrixRow
from autograder.authoring.rows import all_rows
from autograder.authoring.sample_class import SampleSubmission, solutions, write_submission
from autograder.authoring.without_walls import examine_without_walls, quiet
from autograder.engine.examiner.exercise_results import exercise_result
from autograder.engine.grading import Grader
from autograder.mistakes.exercises import diagnose_exercises
from autograder.mistakes.search import diagnose

# Caught, and not named in every draw: by which rate it seems to drop is a matter of chance
UNNAMED = "encoder_layer: dropout_on_the_residual"
ROWS = [(assignment, row) for assignment in ASSIGNMENTS for row in all_rows(assignment)]
EVERY = 1 + len(ROWS) // 8
PATIENT = replace(SHORT, diagnosis_seconds=60)  # whose mutants nobody has asked before
PARAMS = [
    pytest.param(
        *(assignment, row, number % EVERY == 0),
        id=f"{assignment.id}, {row.id}",
        marks=pytest.mark.long if number % EVERY else pytest.mark.walls,
    )
    for number, (assignment, row) in enumerate(ROWS)
]


@cache
def needs(assignment: Assignment) -> dict[str, set[str]]:
    """The exercises whose names the solution of each exercise uses, itself among them."""
    used: dict[str, set[str]] = {}
    for id in (one.id for one in assignment.exercises):
        used[id] = {id} | used_by(assignment.solutions[id], assignment, used)
    return used


def used_by(cell: str, assignment: Assignment, used: dict[str, set[str]]) -> set[str]:
    """The exercises whose names a cell uses; `used`: those that each of them uses in turn."""
    names = {node.id for node in ast.walk(ast.parse(cell)) if isinstance(node, ast.Name)}
    return set().union(*(used[id] for id in used if names & defined_by(assignment.solutions[id])))


def defined_by(cell: str) -> set[str]:
    """The classes and functions that a cell defines."""
    body = ast.parse(cell).body
    return {node.name for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef)}


def reached(assignment: Assignment, row: MatrixRow) -> set[str]:
    """The exercises whose points the row may change. A mistake is an edit of the solution, and changes
    no exercise that does not use its names.
    """
    if row.kind != "mistake":
        return set(needs(assignment))
    return {id for id, used in needs(assignment).items() if used & row.exercises}


def graded_here(assignment: Assignment, row: MatrixRow) -> Any:
    """What `Grader.grade` would return, of the exercises that the row may change."""
    results, runs, about = [], [], reached(assignment, row)
    cells = assignment.solved_cells() | row.cells
    for one in (one for one in assignment.exercises if one.id in about):
        with quiet():
            checks = examine_without_walls(assignment, cells, 1, [one])
            named = diagnose(assignment, checks)
        results.append(exercise_result(one.id, "answered", checks, named))
        runs += checks
    verdict = SimpleNamespace(state="graded", exercises=results)
    return SimpleNamespace(verdict=verdict, runs=runs)


@pytest.mark.parametrize(("assignment", "row", "is_behind_walls"), PARAMS)
def test_a_row_of_the_matrix_is_as_it_has_to_be(assignment, row, is_behind_walls, request):
    """`is_behind_walls`: as for every row in `make test`, which asks about all exercises."""
    if is_behind_walls:
        cells = solutions(assignment) | row.cells
        folder = request.getfixturevalue("tmp_path") / "s001"
        notebook = write_submission(assignment, folder, SampleSubmission(cells, row.id))
        walls = request.getfixturevalue("walls")
        graded = Grader(assignment, walls, PATIENT, seed=1, explain=diagnose_exercises).grade(
            "s001", notebook
        )
    else:
        graded = graded_here(assignment, row)
    wrong = [one for one in faults(row, graded) if row.id != UNNAMED or "is not named" not in one]
    assert wrong == []


def test_an_exercise_is_asked_about_if_it_uses_a_name_of_the_rows(assignment):
    used = needs(assignment)
    assert used["encoder"] == used.keys() and used["attention"] == {"attention"}
    assert used["multi_head_attention"] == {"attention", "multi_head_attention"}


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("attention", "return scores.softmax(dim=-1).roll(1, -1) @ value"),
        *(
            pytest.param(*case, marks=pytest.mark.long)
            for case in (
                ("encoder", "return x.cumsum(1)"),
                ("attention", "return torch.zeros_like(scores @ value)"),
                ("multi_head_attention", "return self.output_transform(merged.roll(3, -1))"),
                ("encoder_layer", "return torch.ones_like(x)"),
                (
                    "encoder_layer",
                    "return self.layer_norm_2(z - 3 * self.feature_transformation(z))",
                ),
            )
        ),
    ],
)
def test_what_nobody_knows_loses_points_and_gets_no_name(grade_cells, solved, name, cell):
    last = solved[name].rstrip().splitlines()[-1]
    result = exercise(grade_cells(**{name: solved[name].replace(last.strip(), cell)}), name)
    assert result.points < result.max_points and result.mistakes == []
    assert any(check.message for check in result.checks)


def test_the_sentence_is_in_the_verdict_and_the_answer_is_not(grade_cells, solved):
    wrong = solved["attention"].replace("math.sqrt(query.size(-1))", "query.size(-1)")
    result = exercise(grade_cells(attention=wrong), "attention")
    assert [mistake.id for mistake in result.mistakes] == ["wrong_scale"]
    assert "sqrt" not in result.mistakes[0].sentence
