"""Margins: right code stays far below the limits of comparisons, and wrong code far above them."""

import math
from io import StringIO

import pytest
from courses import each_assignment
from rich.console import Console

from autograder.authoring.margins import FACTOR, Margin, failing, margins_of, print_margins
from autograder.authoring.row import MatrixRow
from autograder.authoring.rows import all_rows
from autograder.authoring.without_walls import examine_in_float32, examine_without_walls

pytestmark = pytest.mark.slow


@pytest.mark.long
@each_assignment
def test_comparisons_stay_far_from_their_limits_in_float32(assignment):
    rows = [row for row in all_rows(assignment) if len(row.mistakes) < 2]
    about = {exercise.id for exercise in assignment.exercises}
    examined = list(examine_in_float32(assignment, rows, 1, jobs=2, about=about))
    assert failing(examined) == []
    for margin in margins_of(examined, about):
        assert margin.right * FACTOR <= 1 and margin.wrong >= FACTOR, margin


def test_what_is_right_is_examined_once_a_seed_and_in_the_exercises_that_it_changes(small):
    solution, *others = [row for row in all_rows(small) if row.is_right]
    about = {exercise.id for exercise in small.exercises}
    examined = list(examine_in_float32(small, [solution, others[0]], 2, jobs=1, about=about))
    assert [row for row, _ in examined] == [solution] * 2 + [others[0]] * 2
    asked = [{run.exercise for run in runs} for _, runs in examined]
    assert asked == [about] * 2 + [others[0].cells.keys()] * 2
    runs = [run for _, runs in examined[:2] for run in runs]
    measured = {margin.exercise: margin for margin in margins_of(examined, about) if margin.right}
    worst = max(run.worst_error for run in runs if run.exercise == "softmax")
    assert measured["softmax"].right == worst and failing(examined) == []


def test_a_correct_row_that_fails_is_told_once_and_with_the_reason(small):
    wrong = small.solutions["softmax"].replace("sum(-1, keepdim=True)", "sum(0, keepdim=True)")
    row = MatrixRow("softmax: odd", {"softmax": wrong}, path="variants/softmax.py: odd")
    examined = row, examine_without_walls(small, small.solved_cells() | row.cells, seed=1)
    (said,) = failing([examined, examined])
    assert said.startswith("variants/softmax.py: odd fails `")
    assert said.endswith(
        " with some seed or precision: Over which axis do your weights add up to 1?"
    )


@pytest.mark.parametrize(
    ("right", "wrong", "sentences"),
    [
        (0.01, 100.0, []),
        (0.0, math.inf, []),  # whose answers are not finite
        (0.2, 100.0, ["softmax: values (large): the solution comes to 0.2"]),
        (0.01, 3.0, ["softmax: values (large): softmax: overflow comes to 3 only"]),
    ],
)
def test_a_margin_that_is_too_narrow_is_said(right, wrong, sentences, tmp_path):
    margin = Margin(
        "softmax", "test_values[large]", right, "the solution", wrong, "softmax: overflow"
    )
    console = Console(file=StringIO())
    assert print_margins(console, [margin], tmp_path / "margins.csv") == sentences
    (_, line) = (tmp_path / "margins.csv").read_text().splitlines()
    assert line == f"softmax: values (large),{right:.1g},the solution,{wrong:.1g},softmax: overflow"
