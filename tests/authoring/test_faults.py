"""Precision and recall of names, by kind of submission."""

from types import SimpleNamespace

from autograder.authoring.faults import naming, too_few_names
from autograder.authoring.row import MatrixRow
from autograder.mistakes.mistake import Mistake


def mistake(id: str) -> Mistake:
    return Mistake(id, "softmax", "A sentence.", (), ())


def graded(*names: str) -> SimpleNamespace:
    runs = [SimpleNamespace(exercise="softmax", mistakes=[mistake(name)]) for name in names]
    return SimpleNamespace(runs=runs)


def test_too_few_names_are_a_fault_where_code_is_no_edit_of_the_solution():
    a = mistake("a")
    rows = [
        (MatrixRow(str(n), {}, (a,), kind="composed"), graded(*["a"] * (n < 9))) for n in range(10)
    ]
    assert too_few_names(naming(rows)) == ["composed: 9 of 10 mistakes are named, fewer than 95%"]
    assert too_few_names(naming(rows[:9])) == []
