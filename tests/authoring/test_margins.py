"""Margins: right code stays far below the limits of comparisons, and wrong code far above them."""

import math
from io import StringIO

import pytest
from courses import each_assignment
from rich.console import Console

from autograder.authoring.margins import FACTOR, Margin, failing, margins_of, print_margins
from autograder.authoring.row import MatrixRow
from autograder.authoring.rows import all_rows
from autograder.authoring.without_walls import examine_in_float32
from autograder.engine.examiner import CheckRun
from autograder.engine.verdicts import check_sentence
from autograder.mistakes.mistake import Mistake


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
    first, second = (runs for _, runs in examined[:2])
    assert all(run.passed for run in [*first, *second])
    assert [run.worst_error for run in first] != [run.worst_error for run in second]
    measured = {one.exercise: one for one in margins_of(examined, about) if one.numerical}
    assert measured["softmax"].right == max(
        run.worst_error for run in [*first, *second] if run.exercise == "softmax"
    )


WRONG = Mistake("overflow", "softmax", "It overflows.", ("values",), ())


def run(error: float, passed: bool, message: str | None = None) -> CheckRun:
    """What one row did to the check."""
    name, exercise = "test_values[large]", "softmax"
    return CheckRun(name, exercise, 1.0, passed, message, normalised_errors=[error])


def margin(right: float = 0.01, wrong: float = 100.0) -> Margin:
    """A margin of one check, from one right row and one wrong one."""
    made = Margin("softmax", "test_values[large]")
    made.add(MatrixRow("the solution", {}), run(right, passed=True))
    made.add(MatrixRow("softmax: overflow", {}, (WRONG,)), run(wrong, passed=False))
    return made


def test_a_margin_keeps_the_worst_of_the_right_and_the_least_of_the_wrong():
    made = margin()
    made.add(MatrixRow("a variant", {}), run(0.05, passed=True))
    made.add(MatrixRow("softmax: again", {}, (WRONG,)), run(40.0, passed=False))
    made.add(MatrixRow("softmax: not here", {}, (WRONG,)), run(0.5, passed=True))
    assert (made.right, made.right_row) == (0.05, "a variant")
    assert (made.wrong, made.wrong_row) == (40.0, "softmax: again")
    assert made.numerical


def test_a_correct_row_that_fails_is_told_once_and_with_the_reason():
    variant = MatrixRow("softmax: of_torch", {}, path="variants/softmax.py: of_torch")
    made, failed = margin(), run(20.0, False, "Do rows sum to one?")
    made.add(variant, failed)
    assert made.right == 0.01
    solved = MatrixRow("the solution", {}), [run(0.1, passed=True)]
    wrong = MatrixRow("softmax: overflow", {}, (WRONG,)), [failed]
    assert failing([solved, (variant, [failed, failed]), wrong, (variant, [failed])]) == [
        f"variants/softmax.py: of_torch fails `{check_sentence(failed.id)}` with some seed or precision: "
        "Do rows sum to one?"
    ]


def test_a_mistake_whose_answers_are_not_finite_has_a_line(tmp_path):
    made = margin(right=0.0, wrong=math.inf)
    assert print_margins(Console(file=StringIO()), [made], tmp_path / "margins.csv") == []
    line = (tmp_path / "margins.csv").read_text().splitlines()[1]
    assert line == "softmax: values (large),0,,inf,softmax: overflow"
    made.add(MatrixRow("softmax: again", {}, (WRONG,)), run(40.0, passed=False))
    assert (made.wrong, made.wrong_row) == (40.0, "softmax: again")


def test_a_check_that_compares_no_numbers_has_no_margin():
    made = Margin("prediction", "test_x")
    made.add(MatrixRow("the solution", {}), run(0.0, passed=True))
    assert not made.numerical


@pytest.mark.parametrize(
    ("measured", "sentence"),
    [
        (margin(right=0.2), "the solution comes to 0.2"),
        (margin(wrong=3.0), "softmax: overflow comes to 3 only"),
    ],
)
def test_a_margin_that_is_too_narrow_is_said(measured, sentence, tmp_path):
    console = Console(file=StringIO())
    (said,) = print_margins(console, [measured], tmp_path / "margins.csv")
    assert said == f"softmax: {check_sentence(measured.check)}: {sentence}"
    assert print_margins(console, [margin()], tmp_path / "margins.csv") == []
    assert (tmp_path / "margins.csv").read_text().count("\n") == 2
