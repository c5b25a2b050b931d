"""Margins: right code stays far below the limits of comparisons, and wrong code far above them."""

import math
from io import StringIO

import pytest
from courses import each_assignment
from rich.console import Console

from autograder.authoring.margins import (
    FACTOR,
    Conditions,
    Failure,
    Margin,
    measure_rows,
    print_margins,
)
from autograder.authoring.rows import Row, all_rows
from autograder.engine.examiner.session import PRECISIONS
from autograder.engine.mistake import Mistake
from autograder.engine.verdict import check_sentence


@pytest.mark.long
@each_assignment
def test_comparisons_stay_far_from_their_limits(assignment):
    margins = {}
    rows = {row.id: row for row in all_rows(assignment)}
    for precisions in (PRECISIONS, (False,)):
        for one in measure_rows(assignment, Conditions(1, precisions, threads=1)):
            key = one.exercise, one.check
            margin = margins.setdefault(key, Margin(*key))
            margin.add(rows[one.row], one.normalised_error, one.passed)
    for margin in margins.values():
        assert margin.failures == [] and margin.right * FACTOR <= 1 and margin.wrong >= FACTOR, (
            margin
        )


WRONG = Mistake("overflow", "softmax", "It overflows.", ("values",), ())


def margin(right: float = 0.01, wrong: float = 100.0) -> Margin:
    """A margin of one check, from one right row and one wrong one."""
    made = Margin("softmax", "test_values[large]")
    made.add(Row("the solution", {}), right, passed=True)
    made.add(Row("softmax: overflow", {}, (WRONG,)), wrong, passed=False)
    return made


def test_a_margin_keeps_the_worst_of_the_right_and_the_least_of_the_wrong():
    made = margin()
    made.add(Row("a variant", {}), 0.05, passed=True)
    made.add(Row("softmax: again", {}, (WRONG,)), 40.0, passed=False)
    made.add(Row("softmax: not here", {}, (WRONG,)), 0.5, passed=True)
    assert (made.right, made.right_row) == (0.05, "a variant")
    assert (made.wrong, made.wrong_row) == (40.0, "softmax: again")
    assert made.failures == [] and made.numerical


def test_a_correct_row_that_fails_is_told_once_and_with_the_reason(tmp_path):
    made, other = margin(), margin()
    variant = Row("softmax: of_torch", {}, path="variants/softmax.py: of_torch")
    for measured in (made, made, other):
        measured.add(variant, 20.0, False, "Do rows sum to one?")
    assert made.failures == [Failure(variant.path, "Do rows sum to one?")] and made.right == 0.01
    console = Console(file=StringIO())
    assert print_margins(console, [made, other], tmp_path / "margins.csv") == [
        "variants/softmax.py: of_torch fails `values (large)` with some seed or precision: "
        "Do rows sum to one?"
    ]


def test_a_mistake_whose_answers_are_not_finite_has_a_line(tmp_path):
    made = margin(right=0.0, wrong=math.inf)
    assert print_margins(Console(file=StringIO()), [made], tmp_path / "margins.csv") == []
    line = (tmp_path / "margins.csv").read_text().splitlines()[1]
    assert line == "softmax: values (large),0,,inf,softmax: overflow"
    made.add(Row("softmax: again", {}, (WRONG,)), 40.0, passed=False)
    assert (made.wrong, made.wrong_row) == (40.0, "softmax: again")


def test_a_check_that_compares_no_numbers_has_no_margin():
    made = Margin("prediction", "test_x")
    made.add(Row("the solution", {}), 0.0, passed=True)
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
